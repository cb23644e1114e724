-- What was believed at the starts of an evaluation beside what it earned. Evaluations of earlier versions have none.
ALTER TABLE evaluations ADD COLUMN believed REAL;
ALTER TABLE evaluations ADD COLUMN sigma REAL;
ALTER TABLE evaluations ADD COLUMN earned REAL;
ALTER TABLE evaluations ADD COLUMN covered REAL;
