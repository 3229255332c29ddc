// Package history counts what the workers did, minute by minute, and keeps it for seven days.
//
// A worker announces how many of its calls have ended since it started. So every dispatcher
// sees the calls of all dispatchers, and each counts every minute for itself. One account of a
// minute is stored ([Minute]), under the number of the minute, and [Merge] decides which:
//
//   - Of accounts of the same time one counts, that of the process which watched the minute
//     longer. So two dispatchers do not count a call twice, and if one of them dies the other
//     has the minute.
//   - Accounts of times that do not overlap add up: a dispatcher that ends stores what it has
//     counted of the minute, and its successor adds the rest.
//
// It promises that what is stored survives every process; that memory and storage are bounded:
// a minute has at most 16 pools, the last 75 minutes are kept one by one, and the seven days in
// steps of 5 and 30 minutes; that an answer has at most 336 steps; and that the percentiles of a
// step are those of all its calls, from histograms that are added up.
//
// It does not promise to count the calls of a worker between its last announcement and its end,
// nor those of the running minute when the only dispatcher is killed. Processes whose clocks
// differ count calls at the border of two minutes in either, or in both.
package history
