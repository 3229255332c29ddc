package js

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// coroutine is the run of a program in a realm. All of it happens on the goroutine of Run.
type coroutine struct {
	r      *realm
	now    int64 // Unix milliseconds
	zone   string
	random *rand.ChaCha8

	made    NextRequest // since the last request
	size    int         // bytes of made
	segment int         // bytes of the steps since the code was last woken
	events  []Event     // not settled yet
	steps   map[int]*waiting
	sleeps  map[int]*waiting
	step    int // the last number of a step
	sleep   int // the last number of a sleep
	broken  bool
	failed  int // the step whose error the code did not catch

	name    string // of the program.step whose code runs
	origins map[*goja.Object]*waiting
	proxies map[string]goja.Value // of tools, by name
	frames  []goja.StackFrame     // reused
}

// waiting is a step or a sleep that has no event yet.
type waiting struct {
	resolve, reject func(any) error
	line, column    int
	step            int  // its number, 0 for a sleep
	answer          bool // the code gets the member answer of the value
}

func newCoroutine(r *realm, d *Durable) *coroutine {
	c := &coroutine{
		r: r, now: d.NowMS, zone: d.Zone, random: rand.NewChaCha8(sha256.Sum256([]byte(d.ID))),
		steps: map[int]*waiting{}, sleeps: map[int]*waiting{}, origins: map[*goja.Object]*waiting{}, proxies: map[string]goja.Value{},
	}
	r.vm.SetTimeSource(c.readClock)
	r.vm.SetRandSource(func() float64 { return float64(c.random.Uint64()>>11) / (1 << 53) })
	r.vm.SetAsyncContextTracker(c)
	return c
}

func (c *coroutine) readClock() time.Time { return time.UnixMilli(c.now).UTC() }

// arguments returns those of the function that the code is the body of.
func (c *coroutine) arguments(v goja.Value) ([]goja.Value, error) {
	d := c.r.task.Durable
	if head := c.r.task.Program.head; head != durableHeadOf(d.Tool) {
		return nil, tool.Fail(tool.ExecutionError, "%s was not compiled as the code of such a program", c.r.task.Program.Name)
	}
	if !d.Tool {
		return []goja.Value{c.tools(), v, c.object(d.ID)}, nil
	}
	if _, ok := v.(*goja.Object); !ok {
		return nil, tool.Fail(tool.ValidationError, "the arguments must be an object")
	}
	return []goja.Value{v, c.tools(), c.object(d.ID)}, nil
}

// Grab returns the name of the program.step whose code runs, which goja carries through its
// awaits.
func (c *coroutine) Grab() any { return c.name }

// Resumed implements [goja.AsyncContextTracker].
func (c *coroutine) Resumed(name any) { c.name, _ = name.(string) }

// Exited implements [goja.AsyncContextTracker].
func (c *coroutine) Exited() { c.name = "" }

func (c *coroutine) log(line LogLine) {
	c.made.Logs = append(c.made.Logs, line)
	c.size += len(line.Message) + len(line.Level)
}

// call makes a step, and returns its promise. args is a JSON object.
func (c *coroutine) call(name, args string, answer bool) goja.Value {
	if c.step >= MaxSteps {
		panic(c.r.failure(tool.Fail(tool.RateLimited, "a program may make at most %d calls", MaxSteps)))
	}
	if c.segment += len(args) + stepCost; c.segment > mostUnsent {
		panic(c.r.failure(tool.Fail(tool.ValidationError,
			"the arguments of the calls that the program makes before it awaits one hold more than %d MB; await some of them first",
			mostUnsent>>20)))
	}
	c.size += len(args) + stepCost
	c.step++
	promise, w := c.wait(answer)
	w.step = c.step
	c.steps[c.step] = w
	c.made.Steps = append(c.made.Steps, Step{
		N: c.step, Tool: name, Args: json.RawMessage(args), Line: w.line, Column: w.column, Name: c.name,
	})
	return promise
}

// sleepUntil makes a sleep, and returns its promise.
func (c *coroutine) sleepUntil(ms int64) goja.Value {
	if c.sleep >= MaxSleeps {
		panic(c.r.failure(tool.Fail(tool.RateLimited, "a program may sleep at most %d times", MaxSleeps)))
	}
	c.sleep++
	promise, w := c.wait(false)
	c.sleeps[c.sleep] = w
	c.made.Sleeps = append(c.made.Sleeps, Sleep{N: c.sleep, UntilMS: ms, Line: w.line})
	c.size += stepCost
	return promise
}

func (c *coroutine) wait(answer bool) (goja.Value, *waiting) {
	promise, resolve, reject := c.r.vm.NewPromise()
	w := &waiting{resolve: resolve, reject: reject, answer: answer}
	w.line, w.column = c.here()
	return c.r.vm.ToValue(promise), w
}

// here returns the place in the code that runs, or zeros in generated code.
func (c *coroutine) here() (line, column int) {
	const depth = 50 // functions of the runtime between a call and its code
	c.frames = c.r.vm.CaptureCallStack(depth, c.frames[:0])
	for i := range c.frames {
		p := c.frames[i].Position()
		if head, ok := c.r.files[p.Filename]; ok && p.Line > 0 {
			p = withoutHead(p, head)
			return p.Line, p.Column
		}
	}
	return 0, 0
}

// turn settles the next event. If there is none left, it waits for some.
func (c *coroutine) turn() error {
	if len(c.events) > 0 && c.size < splitAt {
		e := c.events[0]
		c.events = c.events[1:]
		return c.settle(e)
	}
	if len(c.events)+len(c.steps)+len(c.sleeps) == 0 {
		return errNeverSettles()
	}
	answer, err := c.next()
	if err != nil {
		c.broken = true
		return err
	}
	c.events = append(c.events, answer.Events...)
	return nil
}

// next sends what the code has done, and returns what happened.
func (c *coroutine) next() (answer NextAnswer, err error) {
	c.made.Unsettled = len(c.events)
	raw, err := c.made.encode()
	if err != nil {
		return NextAnswer{}, err
	}
	c.made, c.size = NextRequest{}, 0
	got, err := c.r.do(c.r.ctx, Request{Op: OpNext, Args: raw})
	if err != nil {
		return NextAnswer{}, tool.AsError(err)
	}
	defer got.Finish()
	if err := json.Unmarshal(got.Value, &answer); err != nil {
		return NextAnswer{}, tool.Fail(tool.ExecutionError, "the journal of the program cannot be read").Because(err)
	}
	return answer, nil
}

// encode leaves the characters of the arguments as the code wrote them.
func (q *NextRequest) encode() (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(q); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "what the program does cannot be encoded").Because(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// settle resolves or rejects the promise of an event, and runs the code that awaits it.
func (c *coroutine) settle(e Event) error {
	c.now = max(c.now, e.NowMS)
	c.segment = 0
	open, n, what := c.steps, e.Step, "step"
	if e.Sleep != 0 {
		open, n, what = c.sleeps, e.Sleep, "sleep"
	}
	w := open[n]
	if w == nil || e.Step != 0 && e.Sleep != 0 {
		c.broken = true
		return tool.Fail(tool.ExecutionError,
			"the journal does not belong to this run of the program: it has an outcome of %s %d, which was not made or had one before",
			what, n)
	}
	delete(open, n)
	if e.Error != nil {
		return w.reject(c.stepError(e.Error, w))
	}
	if e.Sleep != 0 {
		return w.resolve(goja.Undefined())
	}
	v, err := c.value(e.Value, w.answer)
	if err != nil {
		return w.reject(c.stepError(&StepError{Type: string(tool.ExecutionError), Message: err.Error()}, w))
	}
	return w.resolve(v)
}

func (c *coroutine) value(raw json.RawMessage, answer bool) (goja.Value, error) {
	if len(raw) == 0 {
		return goja.Null(), nil
	}
	v, err := c.r.parse(raw)
	if o, ok := v.(*goja.Object); ok && answer && err == nil {
		if v = o.Get("answer"); v == nil {
			v = goja.Null()
		}
	}
	return v, err
}

// stepError creates the Error that the code sees for a failed step.
func (c *coroutine) stepError(e *StepError, w *waiting) goja.Value {
	kind := tool.Kind(e.Type)
	if !slices.Contains(tool.Kinds(), kind) {
		kind = tool.ExecutionError
	}
	obj := c.r.failure(tool.Fail(kind, "%s", e.Message)).ToObject(c.r.vm)
	if e.CallID != "" {
		_ = obj.DefineDataProperty("call_id", c.r.vm.ToValue(e.CallID), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	c.origins[obj] = w
	return obj
}

// origin returns the place of the step that failed with this Error.
func (c *coroutine) origin(obj *goja.Object) string {
	w := c.origins[obj]
	if w == nil || w.line == 0 {
		return ""
	}
	return " (" + position(w.line, w.column) + ")"
}

// failedBy notes the step whose error ends the code. An imitation of such an error is none.
func (c *coroutine) failedBy(err error) {
	var reason goja.Value
	switch err := err.(type) { //nolint:errorlint // unwrapping an error of goja can run code of the script
	case rejection:
		reason = err.reason
	case *goja.Exception:
		reason = err.Value()
	}
	if obj, ok := reason.(*goja.Object); ok && c.origins[obj] != nil {
		c.failed = c.origins[obj].step
	}
}

// leftovers warns the author of calls that nobody awaits.
func (c *coroutine) leftovers(returned bool) {
	if returned && len(c.steps)+len(c.sleeps) > 0 {
		c.r.log("warn", "the program returned while calls of it, or sleeps, were not settled; await them")
	}
}

// end sends what the code did last, if it did anything or failed by a step. It returns an error if the run has no
// outcome because of it.
func (c *coroutine) end() error {
	if c.broken || len(c.made.Steps)+len(c.made.Sleeps)+len(c.made.Logs) == 0 && c.failed == 0 {
		return nil
	}
	c.events = nil
	c.made.Ended, c.made.Failed = true, c.failed
	_, err := c.next()
	return err
}
