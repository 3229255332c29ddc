package js

import (
	"math"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// object creates the argument program.
func (c *coroutine) object(id string) goja.Value {
	o := c.r.vm.NewObject()
	_ = o.Set("id", id)
	for _, m := range []struct { // in an order: the code can list them
		name string
		f    func(goja.FunctionCall) goja.Value
	}{
		{"now", c.isoNow}, {"today", c.today}, {"log", c.print}, {"sleep", c.sleepFor}, {"ask", c.ask}, {"step", c.named},
	} {
		_ = o.Set(m.name, c.r.function(m.name, m.f))
	}
	c.r.freeze(o)
	return o
}

// isoNow implements program.now().
func (c *coroutine) isoNow(goja.FunctionCall) goja.Value {
	return c.r.vm.ToValue(c.readClock().Format("2006-01-02T15:04:05.000Z"))
}

// today implements program.today(): the date in the zone of the program's person, in UTC if the
// zone database of this machine does not have it.
func (c *coroutine) today(goja.FunctionCall) goja.Value {
	zone, err := loadZone(c.zone)
	if err != nil {
		zone = time.UTC
	}
	return c.r.vm.ToValue(c.readClock().In(zone).Format(time.DateOnly))
}

// print implements program.log.
func (c *coroutine) print(call goja.FunctionCall) goja.Value {
	if !c.r.full {
		c.r.log("info", c.r.inspect(journalLine, call.Arguments...))
	}
	return goja.Undefined()
}

// named implements program.step(name, function): the calls that the function makes carry the
// name, also after it awaited something.
func (c *coroutine) named(call goja.FunctionCall) goja.Value {
	name, ok := call.Argument(0).(goja.String)
	if !ok || name.Length() == 0 {
		panic(c.r.failure(tool.Fail(tool.ValidationError, `program.step needs a name, as in program.step("mail", async () => {…})`)))
	}
	f, ok := goja.AssertFunction(call.Argument(1))
	if !ok {
		panic(c.r.failure(tool.Fail(tool.ValidationError, `program.step needs a function, as in program.step("mail", async () => {…})`)))
	}
	outer := c.name
	defer func() { c.name = outer }()
	c.name = nameIn(outer, name.String())
	return c.r.promised(func() goja.Value { return c.r.passOn(f(goja.Undefined())) })
}

// nameIn joins the name of a step with that around it.
func nameIn(outer, name string) string {
	if outer != "" {
		name = outer + " / " + name
	}
	if utf8.RuneCountInString(name) > maxStepName {
		name = string([]rune(name)[:maxStepName-1]) + "…"
	}
	return name
}

// span is a duration such as 90s.
var span = regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$`)

var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

const sleepForms = `give milliseconds, a duration such as "90s", "2h" or "1d", or a time with its zone such as "2026-03-01T09:00:00Z"`

// sleepFor implements program.sleep.
func (c *coroutine) sleepFor(call goja.FunctionCall) goja.Value {
	ms, ok := c.until(call.Argument(0))
	if !ok {
		panic(c.r.failure(tool.Fail(tool.ValidationError, "program.sleep(%s): %s", c.r.inspect(60, call.Argument(0)), sleepForms)))
	}
	if ms-float64(c.now) > float64(MaxSleep*24*time.Hour/time.Millisecond) {
		panic(c.r.failure(tool.Fail(tool.ValidationError, "program.sleep(%s): a program sleeps at most %d days",
			c.r.inspect(60, call.Argument(0)), MaxSleep)))
	}
	return c.sleepUntil(int64(max(ms, 0)))
}

// until returns the time at which a sleep ends, in Unix milliseconds.
func (c *coroutine) until(v goja.Value) (ms float64, ok bool) {
	now := float64(c.now)
	switch v := v.(type) {
	case goja.String:
		text := v.String()
		if m := span.FindStringSubmatch(text); m != nil {
			n, err := strconv.ParseFloat(m[1], 64)
			return math.Ceil(now + n*float64(units[m[2]]/time.Millisecond)), err == nil
		}
		at, err := time.Parse(time.RFC3339, text)
		return float64(at.UnixMilli()), err == nil
	case *goja.Object:
		if v.ExportType() != timeType {
			return 0, false
		}
		at, _ := v.Export().(time.Time)
		return float64(at.UnixMilli()), !at.IsZero()
	default:
		if !goja.IsNumber(v) {
			return 0, false
		}
		n := v.ToFloat()
		return math.Ceil(now + n), !math.IsNaN(n)
	}
}
