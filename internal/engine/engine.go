package engine

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Engine runs calls. It is safe for concurrent use and holds no call after its
// Execute has returned, except for tools that ignore their context.
type Engine struct {
	deps   Deps
	handle handler
}

// handler runs what is left of the pipeline for one job.
type handler func(ctx context.Context, j *Job) (tool.Result, error)

// stage puts one concern around what comes after it.
type stage struct {
	name string
	wrap func(next handler) handler
}

// New returns an engine with the dependencies d. It panics if a required one is missing,
// because a forgotten gate must not be an open one.
func New(d Deps) *Engine {
	e := &Engine{deps: d.complete()}
	e.handle = chain(e.pipeline(), e.tracedTool())
	return e
}

// pipeline returns the stages of a call, from top to bottom.
//
// Limit stands before once and authorize, so that both judge the arguments the
// tool will get. Once stands before authorize, since a token that can be used
// only once would refuse the second delivery of a call it let through. The
// fence is the last thing before the tool: a call that is refused leaves no
// trace of having started.
func (e *Engine) pipeline() []stage {
	return []stage{
		{"record", e.record},                              // time it, tell the recorder, whatever happens
		check("lookup", e.lookup),                         // name or alias to tool
		check("available", e.available),                   // is it in the agent's set?
		{"middleware", e.middleware},                      // what the worker's program puts around everything
		check("prepare", e.prepare),                       // validate, fill in defaults
		check("limit", e.limit),                           // clamp the list parameter, bind the arguments
		{"stored", e.stored},                              // was it committed before? then that is its result
		check("once", e.once),                             // did an earlier attempt start it? is there time left?
		check("place", e.place),                           // can it run in this process?
		check("vet", e.vet),                               // does the tool itself object?
		check("rate", e.rate),                             // has there been too much of it?
		check("authorize", e.traced("gate", e.authorize)), // may this call run, and what may it reach?
		check("equip", e.equip),                           // give it the ports it needs, within its scopes
		{"account", e.account},                            // is an account missing? then it waits
		{"reserve", e.reserve},                            // wait for the room that the tool takes
		check("fence", e.traced("fence", e.fence)),        // store that it starts, before it acts
		{"deadline", e.deadline},                          // end on time, with or without the tool
		{"commit", e.commit},                              // store what it changed in the store, with its result
		{"recover", recovered},                            // a crash is a result
	}
}

// Execute takes j through the pipeline and answers when the call has an
// outcome or is not to be answered for (Outcome.Control).
//
// The context is the worker's hold on the call: it is cancelled with
// [ErrCancelled] or [ErrShutdown] as its cause. The answer then comes within
// 50 ms if the tool was started, 100 if it makes calls itself, and as soon as the
// part of Deps that is being asked returns if it was not.
//
// A Job is for one Execute.
func (e *Engine) Execute(ctx context.Context, j *Job) Outcome {
	_, _ = e.handle(ctx, j) // record has put both into the outcome
	return j.outcome
}

// chain puts the stages around the last handler, the first one outermost.
func chain(stages []stage, last handler) handler {
	h := last
	for _, s := range slices.Backward(stages) {
		h = s.wrap(h)
	}
	return h
}

// check makes a stage of a function that looks at the job before the tool
// runs: an error of it ends the call.
func check(name string, look func(ctx context.Context, j *Job) error) stage {
	return stage{name, func(next handler) handler {
		return func(ctx context.Context, j *Job) (tool.Result, error) {
			if err := look(ctx, j); err != nil {
				return tool.Result{}, refusal(ctx, j, name, err)
			}
			return next(ctx, j)
		}
	}}
}

// runTool is the end of the pipeline. The tool gets a copy of the call: what it
// does to it, and how long it keeps it, is its own affair.
func runTool(ctx context.Context, j *Job) (tool.Result, error) {
	call := j.Call
	res, err := j.invocation.Run(ctx, &call)
	if err != nil && j.Definition().Durable && isControl(err) {
		return tool.Result{}, err // the program goes on elsewhere
	}
	if err != nil {
		return tool.Result{Usage: res.Usage}, failure(err)
	}
	res.Files = j.written()
	if res, err = usable(res); err != nil {
		return res, err
	}
	return j.shaped(res), nil
}

// since is the time from start to now, never below 0.
func (e *Engine) since(start time.Time) time.Duration {
	return max(0, e.deps.Now().Sub(start))
}
