// Package timetable reads schedules as people write them, and finds the next time of one.
//
// A schedule is a cron expression of five fields, an interval, or one time. The times of a
// cron expression are those of a clock on the wall: an hour that the clock skips is moved
// forward by what is skipped, and of an hour that it shows twice the first counts. So an
// expression never has a time twice. Intervals are elapsed time and ignore such changes.
//
// Seconds are not supported: nothing is due more often than each minute.
package timetable
