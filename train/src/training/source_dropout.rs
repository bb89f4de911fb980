//! Sources of statics blanked at random in training: a model so trained serves those who have
//! fewer.

use holdadvise::model::StaticSource;

use crate::random::Random;

/// Share of the rows in which no source is blanked: with many sources hardly a row would be
/// complete otherwise, and an access point's own tools see all of them.
const COMPLETE: f64 = 0.6;

/// What may be blanked, and how often.
#[derive(Clone, Debug)]
pub(crate) struct SourceDropout {
    /// Columns of each source.
    sources: Vec<Vec<usize>>,
    /// Probability with which each is blanked, in the rows that are not left complete.
    share: f64,
}

impl SourceDropout {
    /// `share` is 0 to 1.
    pub(crate) fn new(sources: &[StaticSource], share: f64) -> Self {
        Self { sources: sources.iter().map(|source| source.columns.clone()).collect(), share }
    }

    /// It takes nothing from any row.
    pub(crate) fn is_nothing(&self) -> bool {
        self.sources.is_empty() || self.share == 0.0
    }

    /// Sets to 0 what chance takes from a row of statics. Whether it took anything.
    pub(crate) fn blank(&self, row: &mut [f32], random: &mut Random) -> bool {
        self.draw(random, |source| {
            self.sources[source].iter().for_each(|&column| row[column] = 0.0);
        })
    }

    /// Says which sources chance takes from a row. Whether it took any.
    pub(crate) fn draw(&self, random: &mut Random, mut take: impl FnMut(usize)) -> bool {
        if self.is_nothing() || random.unit() < COMPLETE {
            return false;
        }
        let mut taken = false;
        for source in 0..self.sources.len() {
            if random.unit() < self.share {
                take(source);
                taken = true;
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_in_five_lose_each_source_as_often_as_said() {
        let sources = [
            StaticSource { name: "a".to_owned(), columns: vec![0, 2] },
            StaticSource { name: "b".to_owned(), columns: vec![1] },
        ];
        let dropout = SourceDropout::new(&sources, 0.5);
        let mut random = Random::new(3);
        let (mut a, mut b) = (0, 0);
        for _ in 0..10_000 {
            let mut row = [1.0; 3];
            dropout.blank(&mut row, &mut random);
            assert_eq!(row[0], row[2], "a source goes whole");
            a += usize::from(row[0] == 0.0);
            b += usize::from(row[1] == 0.0);
        }
        assert!((1850..2150).contains(&a) && (1850..2150).contains(&b), "{a} {b}");
        let mut row = [1.0; 3];
        assert!(!SourceDropout::new(&sources, 0.0).blank(&mut row, &mut random));
        assert_eq!(row, [1.0; 3]);
    }
}
