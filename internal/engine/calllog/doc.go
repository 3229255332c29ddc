// Package calllog logs, counts and traces the calls that an engine runs.
//
// It promises a log line for each failure and none above debug for a success, without arguments,
// results and secrets, and a count for each call that ended. It writes no audit records.
package calllog
