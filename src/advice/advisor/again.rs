//! What the model is asked once more: without jobs of other owners, without each group of inputs.

use super::{Advisor, Answers, Asked, COUNTED, Question};
use crate::advice::{Advice, Curve, Recommendation};
use crate::history::Action;
use crate::model::ModelError;

impl Advisor<'_> {
    /// Whether a job would be removed by what its owner's jobs show alone, without those of others.
    pub(super) fn removes_without_others(
        &self,
        question: &Question<'_>,
    ) -> Result<bool, ModelError> {
        let mut sample = self.inputs.without_others(&question.sample);
        let mut asked = Asked::default();
        for &action in &question.actions {
            self.sampler.set_action(&mut sample, action);
            asked.push(&sample);
        }
        let own = asked.answers(self.model)?;
        let of_actions = question.actions.iter().copied().zip(own).collect();
        let own = Answers { of_actions, recovered: None, later: Curve::default() };
        let advice = self.conclude(question, &self.chances(question, own));
        Ok(advice.recommendation == Recommendation::Remove)
    }

    /// Adds to each advice which inputs moved its probability.
    pub(super) fn explain_all(
        &self,
        questions: &[Option<Question<'_>>],
        answers: &[f64],
        advices: &mut [Option<Advice>],
    ) -> Result<(), ModelError> {
        let mut asked = Asked::default();
        let mut explained = Vec::new();
        for (question, advice) in questions.iter().zip(advices) {
            let (Some(question), Some(advice)) = (question, advice) else { continue };
            let seen = &question.seen;
            let Answers { of_actions: of_model, .. } = question.answers(answers);
            let action = advice.action.unwrap_or(Action::AsIs);
            let chance = of_model.iter().find(|(other, _)| *other == action);
            // Of a code that it does not know the model's reasons are worth as little as its
            // probability.
            let known = self.model.metadata.knows(question.hold.identity.code);
            let (Some(&(_, chance)), true) = (chance, known) else { continue };
            // Inputs moved the model's answer: where what was counted took its place they explain
            // nothing.
            if action == Action::AsIs && (seen.as_is(chance) - seen.trusted(chance)).abs() > COUNTED
            {
                continue;
            }
            let mut sample = question.about().clone();
            self.sampler.set_action(&mut sample, action);
            let groups = self.inputs.ask(&sample, |without| asked.push(without));
            explained.push((advice, chance, groups));
        }
        let answers = asked.answers(self.model)?;
        let mut answers = answers.as_slice();
        for (advice, chance, groups) in explained {
            let (of_job, rest) = answers.split_at(groups.len().min(answers.len()));
            advice.inputs = self.inputs.strongest(chance, &groups, of_job);
            answers = rest;
        }
        Ok(())
    }
}
