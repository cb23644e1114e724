-- What was believed at the starts of an evaluation beside what it earned. Evaluations of earlier versions have none.
ALTER TABLE evaluations ADD COLUMN believed REAL;
ALTER TABLE evaluations ADD COLUMN sigma REAL;
ALTER TABLE evaluations ADD COLUMN earned REAL;
ALTER TABLE evaluations ADD COLUMN covered REAL;

-- What more data would remove of what was believed, and what would stay.
ALTER TABLE beliefs ADD COLUMN epistemic REAL;
ALTER TABLE beliefs ADD COLUMN aleatoric REAL;
