//! Enumerations that a user writes by name.

/// Declares an enum whose variants have a written name and a line of documentation each, and which is a
/// [`KnobValue`](super::KnobValue).
macro_rules! choices {
    ($(#[doc = $about:expr])* $vis:vis enum $name:ident {
        $($(#[doc = $doc:expr])* $variant:ident = $text:literal,)*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        $vis enum $name {
            $($(#[doc = $doc])* $variant,)*
        }

        impl $crate::config::KnobValue for $name {
            fn expects() -> String {
                [$($text),*].join("|")
            }

            fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }

            fn show(&self) -> String {
                match self {
                    $($name::$variant => $text.into(),)*
                }
            }
        }
    };
}

choices! {
    /// The posterior over the network's parameters: the first axis.
    pub enum PosteriorKind {
        /// One value for each parameter.
        Point = "point",
        /// Monte-Carlo dropout (Gal and Ghahramani 2016): a dropout mask is a draw of the parameters.
        Dropout = "dropout",
        /// A bootstrap ensemble of networks: a member is a draw of the parameters (Osband et al. 2016).
        Ensemble = "ensemble",
    }
}

choices! {
    /// What the network says about the return Z(s,a): the second axis.
    pub enum ReturnKind {
        /// Its mean Q(s,a).
        Mean = "mean",
        /// A Gaussian with mean mu(s,a) and standard deviation sigma(s,a).
        Gaussian = "gaussian",
        /// Probabilities of fixed values, the atoms (C51, Bellemare et al. 2017).
        Categorical = "categorical",
        /// Quantiles (Dabney et al. 2018).
        Quantile = "quantile",
        /// A mixture of Gaussians.
        Mixture = "mixture",
    }
}

choices! {
    /// Where the atoms of a categorical return begin and end.
    pub enum SupportKind {
        /// Where `value_min` and `value_max` say.
        Given = "given",
        /// At powers of two around the discounted returns seen so far.
        Returns = "returns",
    }
}

choices! {
    /// How to act on what is believed: the third axis.
    pub enum PolicyKind {
        /// Every action alike.
        Uniform = "uniform",
        /// The best mean.
        Greedy = "greedy",
        /// The best mean, but any action with probability epsilon.
        EGreedy = "egreedy",
        /// Probabilities in proportion to exp(mean / temperature).
        Boltzmann = "boltzmann",
        /// The best of one draw for each action, mu + z sigma with z ~ N(0,1) (paper, section 4.2).
        Thompson = "thompson",
        /// Thompson that never looks down: mu + |z| sigma.
        Optimistic = "optimistic",
        /// An upper confidence bound, mu + c sigma with c uniform on [ucb_low, ucb_high].
        Ucb = "ucb",
        /// The least squared regret for what is learnt: information-directed sampling (Nikolov et al. 2019).
        Ids = "ids",
        /// The mean and what it would be worth to know it: value of perfect information (Dearden et al.
        /// 1998).
        Vpi = "vpi",
        /// A part of the return's own distribution: a quantile, or the mean of the worst returns.
        Risk = "risk",
        /// The mean and a falling bonus for the upper half of the return (Mavrin et al. 2019).
        Dltv = "dltv",
    }
}

choices! {
    /// Which uncertainty thompson, optimistic and ucb act on.
    pub enum ActOn {
        /// All of it.
        Total = "total",
        /// What more data would remove.
        Epistemic = "epistemic",
        /// What would stay: the return's own spread.
        Aleatoric = "aleatoric",
    }
}

choices! {
    /// What draws of the parameters are compared by, to see what is not known.
    pub enum CompareKind {
        /// Their means: how much the mean of the return varies over draws.
        Means = "means",
        /// Each quantile by itself (Clements et al. 2019). With the quantiles t_i of draw i, what is not known is the mean over the
        /// levels of the variance over the draws; of two, that is half the mean of (t_1 - t_2)². What is the return's own is the
        /// covariance of t_i and t_j over the levels, and at least 0. Of an ensemble each member is looked at once.
        Quantiles = "quantiles",
    }
}

choices! {
    /// Whose word the targets of an ensemble's members are made by.
    pub enum MemberTargets {
        /// Each by its own.
        Own = "own",
        /// All by the mean of what they say.
        Mean = "mean",
    }
}

choices! {
    /// What of a return a risk-sensitive policy acts on.
    pub enum RiskKind {
        /// The value that the return is below with a probability (value at risk).
        Quantile = "quantile",
        /// The mean of the worst returns (conditional value at risk).
        Cvar = "cvar",
        /// Probabilities in proportion to exp(quantile / temperature).
        Softmax = "softmax",
    }
}

choices! {
    /// How long a draw is kept.
    pub enum Scope {
        /// A new one for each decision.
        Step = "step",
        /// One for the whole episode.
        Episode = "episode",
    }
}

choices! {
    /// Which next action a target looks at.
    pub enum BackupKind {
        /// The action taken, for fresh experience; one drawn from the current policy, for replayed.
        Sarsa = "sarsa",
        /// All of them, weighted by the policy's probabilities (over its indices, if it commits to one).
        Expected = "expected",
        /// The one with the best mean (off-policy, as in Q-learning).
        Max = "max",
        /// Two: the mean of the one with the best mean, the spread of one drawn from the policy. Exploring
        /// then spreads uncertainty without dragging the mean down.
        Split = "split",
    }
}

choices! {
    /// What the return of the next action is taken to be in the mean of a target.
    pub enum TargetValue {
        /// Its mean mu(s',a') (paper, Eq. 7).
        Mean = "mean",
        /// The draw mu(s',a') + z sigma(s',a') by which the policy chose it (paper, section 4.1 with the sample of section 4.2):
        /// optimistic, as it is the largest of the actions' draws.
        Draw = "draw",
    }
}

choices! {
    /// Where a recorded trace ends before its time.
    pub enum TraceCut {
        /// Nowhere.
        Never = "never",
        /// Where the policy would act otherwise now. By tree-backup (Precup et al. 2000) a trace goes on with lambda times the
        /// policy's probability of the action that was taken (paper, App. E, footnote). With backup=expected that probability is
        /// estimated from draws; with sarsa and split the one draw decides, which comes to the same in the mean; with max it is
        /// Watkins's Q(lambda).
        Policy = "policy",
    }
}

choices! {
    /// Which network decides the next action of a replayed transition.
    pub enum Decider {
        /// The current one.
        Online = "online",
        /// The target network, which also gives its value: one pass fewer.
        Target = "target",
    }
}

choices! {
    /// How a distribution goes through the Bellman equation.
    pub enum Propagation {
        /// In closed form (paper, Eq. 6 and 7).
        Analytic = "analytic",
        /// By samples r + gamma z', fitted by maximum likelihood (paper, section 4.1).
        Sampling = "sampling",
    }
}

choices! {
    /// What the standard deviation of a mixture is taken to be.
    pub enum SdRule {
        /// The mean of the parts' standard deviations (paper, Eq. 6).
        Paper = "paper",
        /// The root of the mean of the variances plus the variance of the means.
        Total = "total",
    }
}

choices! {
    /// The distance between a predicted and a target Gaussian.
    pub enum LossKind {
        /// Squared differences of mu and of sigma (paper, Eq. 7): the squared 2-Wasserstein distance.
        Squared = "squared",
        /// Kullback-Leibler divergence from the target to the prediction.
        Kl = "kl",
        /// Cross-entropy of the prediction under the target.
        CrossEntropy = "cross-entropy",
        /// Bhattacharyya distance.
        Bhattacharyya = "bhattacharyya",
        /// Squared Hellinger distance.
        Hellinger = "hellinger",
        /// 2-Wasserstein distance itself (not squared).
        Wasserstein = "wasserstein",
        /// Squared differences of mu and of sigma², as in the uncertainty Bellman equation: from one next action
        /// at a time, sigma² learns the mean of their variances.
        Variance = "variance",
    }
}

choices! {
    /// How sigma comes from what the network puts out.
    pub enum SigmaLink {
        /// sigma = softplus(z + b), as in the authors' later experiments; the paper does not say.
        Softplus = "softplus",
        /// sigma = |z + b|. A random network under z stays under sigma: what was learnt elsewhere cannot push all
        /// of it below zero at once, as it can with softplus.
        Abs = "abs",
    }
}

choices! {
    /// How the weights of a layer start.
    pub enum InitKind {
        /// Variance 2 / inputs (He et al. 2015), made for ReLU.
        He = "he",
        /// Variance 2 / (inputs + outputs) (Glorot and Bengio 2010).
        Xavier = "xavier",
    }
}

choices! {
    /// What a hidden unit makes of its sum x.
    pub enum ActivationKind {
        /// max(x, 0).
        Relu = "relu",
        /// x above 0, exp(x) - 1 below (Clevert et al. 2016).
        Elu = "elu",
        /// tanh(x).
        Tanh = "tanh",
    }
}

choices! {
    /// Local uncertainty u(s,a) beside the propagated one.
    pub enum LocalKind {
        /// None.
        None = "none",
        /// From visits: counts for index observations, random features for boxes.
        Visits = "visits",
        /// From visits and from how much outcomes vary: in random worlds it falls by the root of visits, and transitions
        /// are replayed evenly there. For index observations; boxes as with `visits`.
        Outcomes = "outcomes",
    }
}

choices! {
    /// What local_scale is a multiple of.
    pub enum LocalUnit {
        /// A reward of 1.
        Reward = "reward",
        /// The range of the discounted returns seen so far, from any step on, and 0 (1 before anything was earned). The unit of
        /// reward does not matter then.
        Returns = "returns",
    }
}

choices! {
    /// What is replayed, and has a priority, as one.
    pub enum ReplayUnit {
        /// One transition.
        Transition = "transition",
        /// What is remembered of an episode, step by step; its priority is its total error (paper, App. E).
        Trace = "trace",
    }
}

choices! {
    /// How the prioritised share of a batch is drawn.
    pub enum PriorityKind {
        /// From the top of a queue ordered by the last temporal-difference error (paper, App. E).
        Queue = "queue",
        /// In proportion to a power of that error, with weights against the bias (Schaul et al. 2016). Their share is 1.
        Proportional = "proportional",
    }
}

choices! {
    /// How box observations come to the network.
    pub enum InputKind {
        /// As they are.
        Raw = "raw",
        /// Bounded components brought to [-1, 1].
        Scaled = "scaled",
        /// Every component brought to mean 0 and standard deviation 1 by what has been seen so far in learning, within ±10.
        Running = "running",
    }
}

choices! {
    /// What keeps the mean of a target in place.
    pub enum BoundKind {
        /// Nothing.
        None = "none",
        /// The best and the worst discounted return seen from any step on, and 0: what was never earned is not believed.
        /// With local=visits, sigma also stays within what local uncertainty can add up to.
        Returns = "returns",
    }
}

choices! {
    /// What is done once an episode has come back to a state: noise that is fed back in a circle grows.
    pub enum LoopKind {
        /// Nothing.
        Ignore = "ignore",
        /// The current network decides on next actions and the target network values them, means stay within what was
        /// earned (as with decider=online and bound=returns), and sigma is discounted by loop_gamma at most.
        Guard = "guard",
        /// The current network decides and the target network values. The discount is at most 1 - 1/H, if episodes are cut
        /// off after H steps; what was never tried is as wide as local uncertainty can add up to, and its mean is that of
        /// its state (with shrink).
        Horizon = "horizon",
    }
}

choices! {
    /// How the learning rate falls, from its first value to a share of it.
    pub enum ScheduleKind {
        /// It does not.
        Constant = "constant",
        /// In a straight line.
        Linear = "linear",
        /// Along half a cosine: slowly, fast, slowly.
        Cosine = "cosine",
    }
}
