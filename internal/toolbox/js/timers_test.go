package js

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestTimers(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`await new Promise(r => setTimeout(r, 5, "a")); return 1`:   `1`,
		`return await new Promise(r => setTimeout(r, 5, "a", "b"))`: `"a"`,
		`const seen = []; for (const ms of [3, 1, 2, 1, 0]) setTimeout(() => seen.push(ms), ms * 1000)
			await new Promise(r => setTimeout(r, 3000)); return seen`: `[0,1,1,2,3]`,
		`let n = 0; const t = setTimeout(() => n++, 0); clearTimeout(t); clearTimeout(t); clearTimeout(99); clearTimeout(); clearTimeout({});
			await new Promise(r => setTimeout(r)); return n`: `0`,
		`let n = 0; const tick = r => ++n < 50 ? setTimeout(tick, 0, r) : r(n); return await new Promise(tick)`: `50`,
		`setTimeout(() => { throw 1 }, 1e9); return "before"`:                                                   `"before"`,
		`return [setTimeout(() => 1, NaN), setTimeout(() => 1, -5), setTimeout(() => 1, Infinity)]`:             `[1,2,3]`,
		`return typeof setTimeout.name + setTimeout.name`:                                                       `"stringsetTimeout"`,
	} {
		task := script(t, "async function execute() { "+source+" }")
		synctest.Test(t, func(t *testing.T) { returns(t, task, want) })
	}
	for source, says := range map[string]string{
		`setTimeout("evil()")`: "setTimeout needs a function",
		`setTimeout(() => { throw new Error("late") }); await new Promise(() => {})`: "Error: late (t.js:1:",
		`for (let i = 0; i <= 1000; i++) setTimeout(() => 1, 1e6)`:                   "at most 1000 timers",
		`setTimeout(() => 1, 10); await new Promise(() => {})`:                       "never settles",
	} {
		task := script(t, "async function execute() { "+source+" }")
		synctest.Test(t, func(t *testing.T) { fails(t, task, tool.ExecutionError, says) })
	}
}

func TestDeadlineWhileATimerWaits(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`await new Promise(r => setTimeout(r, 1e6))`, `const again = () => setTimeout(again); again(); await new Promise(() => {})`,
	} {
		isFailure(t, "", briefly(t, script(t, "async function execute() { "+source+" }")), tool.Timeout, "timed out")
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 11, 20, 14, 4, 5, 0, time.UTC) }
	for call, want := range map[string]string{
		`_time()`:                                     `"2026-11-20T14:04:05Z"`,
		`_time(undefined, null)`:                      `"2026-11-20T14:04:05Z"`,
		`_time("Europe/Berlin")`:                      `"2026-11-20T15:04:05+01:00"`,
		`_time("Asia/Shanghai", "iso8601")`:           `"2026-11-20T22:04:05+08:00"`,
		`_time("America/New_York", "human_readable")`: `"Friday, November 20, 2026 at 9:04:05 AM EST"`,
		`_time("UTC", "ISO8601")`:                     `"2026-11-20T14:04:05Z"`,
		`Date.now()`:                                  `1795183445000`,
	} {
		task := script(t, "function execute() { return "+call+" }")
		task.Now = now
		returns(t, task, want)
	}
	for call, says := range map[string]string{
		`_time("")`:                 "Invalid timezone: ''",
		`_time("Local")`:            "Invalid timezone",
		`_time("right/UTC")`:        "Invalid timezone",
		`_time("../../etc/passwd")`: "Invalid timezone",
		`_time("x".repeat(1e5))`:    "Invalid timezone: 'xxx",
		`_time("UTC", "rfc")`:       "Invalid time format: 'rfc'",
	} {
		fails(t, script(t, "function execute() { return "+call+" }"), tool.ValidationError, says)
	}
	returns(t, function(t, `return _time().length`), `20`)
}
