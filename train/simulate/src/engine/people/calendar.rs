//! Weekdays and working hours. The access point's clock shows UTC.

use crate::random::Dice;

/// Day of the week of an instant, 0 is Monday.
pub(crate) fn weekday(time: i64) -> i64 {
    // 1970-01-01 was a Thursday.
    (time.div_euclid(86_400) + 3).rem_euclid(7)
}

/// The instant, or for most people the next working hours behind it.
pub(crate) fn at_work(time: i64, dice: &mut Dice) -> i64 {
    if dice.chance(0.25) {
        return time;
    }
    let mut day = time.div_euclid(86_400);
    let hour = time.rem_euclid(86_400) / 3_600;
    if weekday(time) < 5 && (8..18).contains(&hour) {
        return time;
    }
    if hour >= 18 || weekday(time) >= 5 {
        day += 1;
    }
    while weekday(day * 86_400) >= 5 {
        day += 1;
    }
    day * 86_400 + dice.between(8 * 3_600, 11 * 3_600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_weekdays() {
        assert_eq!(weekday(0), 3);
        // 2024-03-04 was a Monday.
        assert_eq!(weekday(1_709_510_400), 0);
    }

    #[test]
    fn people_look_later_not_earlier() {
        let mut dice = Dice::new(5, 0);
        for hour in 0..24 * 7 {
            let time = 1_709_510_400 + hour * 3_600;
            let looked = at_work(time, &mut dice);
            assert!(looked >= time && looked < time + 4 * 86_400);
        }
    }
}
