// Package personal answers for a worker the requests of dispatchers about what it holds of persons: their
// data, their scheduled tasks, the test of their services, and the rules that decide about their calls.
//
// It promises that the data of a person is exported, imported or deleted by one request at a time, and
// that a worker whose database is not that of its pool answers nothing. It stores nothing itself.
package personal
