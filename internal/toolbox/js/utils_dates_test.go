package js

import "testing"

func TestUtilsNow(t *testing.T) {
	t.Parallel()
	cases{
		{`/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(utils.now())`, "true"},
		{"Math.abs(Date.parse(utils.now()) - utils.timestamp()) < 60000 && Number.isInteger(utils.timestamp())", "true"},
	}.run(t, nil)
}

func TestUtilsDateDiff(t *testing.T) {
	t.Parallel()
	const noDate = `must be a date, such as "2026-01-31"`
	cases{
		{"utils.dateDiff('2026-01-01', '2026-01-31')", "30"},
		{"utils.dateDiff('2026-01-31', '2026-01-01')", "-30"},
		{"utils.dateDiff('2026-01-01', '2026-01-02T23:59:59Z')", "1"},
		{"utils.dateDiff('2026-01-02T23:59:59Z', '2026-01-01')", "-1"},
		{"Object.is(utils.dateDiff('2026-01-02T01:00:00Z', '2026-01-02'), 0)", "true"},
		{"utils.dateDiff('2026-01-01', '2026-01-01')", "0"},
		{"utils.dateDiff(0, new Date(1500), 'milliseconds')", "1500"},
		{"utils.dateDiff(0, 1500, 'seconds')", "1"},
		{"utils.dateDiff(0, 36e5, 'Minute')", "60"},
		{"utils.dateDiff('2026-01-01', '2026-01-03', 'hours')", "48"},
		{"utils.dateDiff('2026-01-01', '2026-01-15', 'week')", "2"},
		{"utils.dateDiff('2026-01-31', '2026-02-28', 'months')", "1"},
		{"utils.dateDiff('2026-01-31', '2026-02-27', 'months')", "0"},
		{"utils.dateDiff('2026-03-31', '2026-02-28', 'months')", "-1"},
		{"utils.dateDiff('2026-03-15', '2026-02-16', 'months')", "0"},
		{"utils.dateDiff('2026-01-01', '2026-12-31', 'quarters')", "3"},
		{"utils.dateDiff('2024-02-29', '2025-02-28', 'years')", "1"},
		{"utils.dateDiff('2000-01-01', '1969-12-31', 'years')", "-30"},
		{"utils.dateDiff(' 2026-01-01 ', '2026-01-02', null)", "1"},
		{"utils.dateDiff('yesterday', '2026-01-02')", "TypeError: utils.dateDiff: d1 " + noDate},
		{"utils.dateDiff('2026-01-02')", "TypeError: utils.dateDiff: d2 " + noDate},
		{"utils.dateDiff(null, 0)", "TypeError: utils.dateDiff: d1 " + noDate},
		{"utils.dateDiff(NaN, 0)", "TypeError: utils.dateDiff: d1 " + noDate},
		{"utils.dateDiff(0, 9e15)", "TypeError: utils.dateDiff: d2 " + noDate},
		{"utils.dateDiff(0, 1, 'fortnights')", "TypeError: utils.dateDiff: unit must be milliseconds"},
		{"utils.dateDiff(0, 1, 'constructor')", "TypeError: utils.dateDiff: unit must be"},
		{"utils.dateDiff(0, 1, {})", "TypeError: utils.dateDiff: unit must be"},
	}.run(t, nil)
}

func TestUtilsDateAdd(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.dateAdd('2026-01-31', 1)", "2026-02-01T00:00:00.000Z"},
		{"utils.dateAdd('2026-01-31T12:30:00Z', 1, 'months')", "2026-02-28T12:30:00.000Z"},
		{"utils.dateAdd('2024-01-31', 1, 'month')", "2024-02-29T00:00:00.000Z"},
		{"utils.dateAdd('2026-03-31', -1, 'months')", "2026-02-28T00:00:00.000Z"},
		{"utils.dateAdd('2026-01-31', 13, 'months')", "2027-02-28T00:00:00.000Z"},
		{"utils.dateAdd('2024-02-29', 1, 'years')", "2025-02-28T00:00:00.000Z"},
		{"utils.dateAdd('2024-02-29', -4, 'years')", "2020-02-29T00:00:00.000Z"},
		{"utils.dateAdd('2026-11-30', 1, 'quarters')", "2027-02-28T00:00:00.000Z"},
		{"utils.dateAdd('2026-01-01', -1, 'weeks')", "2025-12-25T00:00:00.000Z"},
		{"utils.dateAdd('2026-01-01', 1.5, 'days')", "2026-01-02T12:00:00.000Z"},
		{"utils.dateAdd('2026-01-01T00:00:00+02:00', 90, 'minutes')", "2025-12-31T23:30:00.000Z"},
		{"utils.dateAdd(new Date(0), 1, 'milliseconds')", "1970-01-01T00:00:00.001Z"},
		{"utils.dateAdd(0, 1, 'seconds')", "1970-01-01T00:00:01.000Z"},
		{"utils.dateAdd('0001-01-01', -1, 'years')", "0000-01-01T00:00:00.000Z"},
		{"(() => { const d = new Date(0); utils.dateAdd(d, 5, 'months'); return d.getTime() })()", "0"},
		{"utils.dateAdd('2026-01-01', 1.5, 'months')", "TypeError: utils.dateAdd: amount must be a number, and a whole one"},
		{"utils.dateAdd('2026-01-01', '1')", "TypeError: utils.dateAdd: amount must be a number"},
		{"utils.dateAdd('2026-01-01', NaN)", "TypeError: utils.dateAdd: amount must be a number"},
		{"utils.dateAdd('2026-01-01', Infinity)", "TypeError: utils.dateAdd: amount must be a number"},
		{"utils.dateAdd('2026-01-01', 1e308)", "TypeError: utils.dateAdd: the result is further away than dates reach"},
		{"utils.dateAdd('2026-01-01', 1e9, 'years')", "TypeError: utils.dateAdd: the result is further away than dates reach"},
		{"utils.dateAdd('', 1)", "TypeError: utils.dateAdd: date must be a date"},
	}.run(t, nil)
}

func TestUtilsFormatDate(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.formatDate('2026-03-05T23:59:59Z')", "2026-03-05"},
		{"utils.formatDate(new Date(0), null)", "1970-01-01"},
		{"utils.formatDate('2026-03-05', 'en-US')", "3/5/2026"},
		{"utils.formatDate('2026-11-25', 'en-US')", "11/25/2026"},
		{"utils.formatDate('2026-03-05', 'en-GB')", "05/03/2026"},
		{"utils.formatDate('2026-03-05', 'de-DE')", "5.3.2026"},
		{"utils.formatDate('2026-03-05', 'fr-FR')", "05/03/2026"},
		{"utils.formatDate('2026-03-05', 'es-ES')", "5/3/2026"},
		{"utils.formatDate('2026-03-05', 'tr-TR')", "05.03.2026"},
		{"utils.formatDate('2026-03-05', 'tr_TR')", "05.03.2026"},
		{"utils.formatDate('2026-03-05', 'ko-KR')", "2026. 3. 5."},
		{"utils.formatDate('2026-03-05', 'pl-PL')", "5.03.2026"},
		{"utils.formatDate('2026-03-05', 'fr')", "05/03/2026"},
		{"utils.formatDate('2026-03-05', 'de-LU')", "5.3.2026"},
		{"utils.formatDate('2026-03-05', 'tlh')", "2026-03-05"},
		{"utils.formatDate('2026-03-05', 'constructor')", "2026-03-05"},
		{"utils.formatDate('2026-03-05', 0)", "TypeError: utils.formatDate: locale must be a string"},
		{"utils.formatDate('2026-02-30T25:00')", "TypeError: utils.formatDate: date must be a date"},
		{"utils.formatDate()", "TypeError: utils.formatDate: date must be a date"},
	}.run(t, nil)
}
