//! What the model is asked once more: without jobs of other owners, without each group of inputs.

use super::{Advisor, Answers, Asked, COUNTED, Chances, Inputs, Question};
use crate::advice::{Advice, Curve, Recommendation};
use crate::history::Action;
use crate::model::ModelError;

impl Advisor<'_> {
    /// The advice on a job that would be removed: it is no removal where only other owners' jobs speak
    /// for one.
    pub(super) fn without_others(
        &self,
        question: &Question<'_>,
        mut chances: Chances,
    ) -> Result<Advice, ModelError> {
        let subject = self.subject(&question.hold, question.failed.as_ref(), question.now);
        let inputs = Inputs::of(&self.model.metadata.schema);
        let mut sample = inputs.without_others(&subject.sample);
        let mut asked = Asked::default();
        for &action in &question.actions {
            self.sampler.set_action(&mut sample, action);
            asked.push(&sample);
        }
        let own = asked.answers(self.model)?;
        let of_actions = question.actions.iter().copied().zip(own).collect();
        let own = Answers { of_actions, recovered: None, later: Curve::default() };
        let own = self.conclude(question, &self.chances(question, own));
        chances.known.removal.by_others = own.recommendation != Recommendation::Remove;
        Ok(self.conclude(question, &chances))
    }

    /// Adds to each advice which inputs moved its probability.
    pub(super) fn explain_all(
        &self,
        inputs: &Inputs,
        questions: &[Option<Question<'_>>],
        answers: &[f64],
        advices: &mut [Option<Advice>],
    ) -> Result<(), ModelError> {
        let mut asked = Asked::default();
        let mut explained = Vec::new();
        for (question, advice) in questions.iter().zip(advices) {
            let (Some(question), Some(advice)) = (question, advice) else { continue };
            let seen = &question.seen;
            let Answers { of_actions: of_model, .. } =
                question.answers(answers, self.sampler.knows_delays());
            let action = advice.action.unwrap_or(Action::AsIs);
            let chance = of_model.iter().find(|(other, _)| *other == action);
            // Of a code that it does not know the model's reasons are worth as little as its
            // probability.
            let known = self.model.metadata.knows(question.hold.identity.code);
            let (Some(sample), Some(&(_, chance)), true) = (&question.sample, chance, known) else {
                continue;
            };
            // Inputs moved the model's answer: where what was counted took its place they explain
            // nothing.
            if action == Action::AsIs && (seen.as_is(chance) - seen.trusted(chance)).abs() > COUNTED
            {
                continue;
            }
            let mut sample = sample.clone();
            self.sampler.set_action(&mut sample, action);
            let groups = inputs.ask(&sample, |without| asked.push(without));
            explained.push((advice, chance, groups));
        }
        let answers = asked.answers(self.model)?;
        let mut answers = answers.as_slice();
        for (advice, chance, groups) in explained {
            let (of_job, rest) = answers.split_at(groups.len().min(answers.len()));
            advice.inputs = inputs.strongest(chance, &groups, of_job);
            answers = rest;
        }
        Ok(())
    }
}
