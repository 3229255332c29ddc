package js

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestPromises(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`(await Promise.all([1, Promise.resolve(2)])).join()`:                              `"1,2"`,
		`await Promise.race([new Promise(() => {}), 3])`:                                   `3`,
		`await Promise.any([Promise.reject(1), 4])`:                                        `4`,
		`(await Promise.allSettled([Promise.reject(1)]))[0].reason`:                        `1`,
		`await new Promise(r => r(Promise.resolve(5)))`:                                    `5`,
		`await (async () => { try { await Promise.reject(6) } catch (e) { return e } })()`: `6`,
	} {
		returns(t, script(t, "async function execute() { return "+source+" }"), want)
	}
}

func TestNeverSettles(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`return new Promise(() => {})`,
		`return (async () => { await new Promise(() => {}) })()`,
		`return {then() {}}`,
		`return Promise.all([1, new Promise(() => {})])`,
	} {
		fails(t, script(t, "function execute() { "+source+" }"), tool.ExecutionError, "never settles")
	}
}

// A promise of a subclass can throw where goja does not expect it, which crashes Go
// unless it is recovered.
func TestPromiseWhoseResolversThrow(t *testing.T) {
	t.Parallel()
	const evil = `class Evil extends Promise {
		constructor(f) { super((a, b) => f(() => { throw new Error("resolver") }, () => { throw new Error("rejecter") })) }
	}
	`
	for _, source := range []string{
		`new Evil(() => {}); const p = Promise.resolve(1); p.constructor = {[Symbol.species]: Evil}; p.then(() => 1); await p; await 1`,
		`const p = utils.callTool("x", {}); p.constructor = {[Symbol.species]: Evil}; p.then(() => 1); await p; await 1`,
		`const p = utils.callTool("x", {}); p.constructor = {[Symbol.species]: Evil}; p.then(() => { throw 1 }); await p; await 1`,
		`return Evil.resolve(1)`,
		`await Evil.reject(1)`,
	} {
		task := function(t, evil+source)
		task.Host = calls(func(context.Context, json.RawMessage) (json.RawMessage, error) { return []byte("1"), nil })
		if got, err := within(t, task); err != nil {
			isFailure(t, got, err, tool.ExecutionError, "")
		}
	}
}

func TestUnhandledRejectionsAreLogged(t *testing.T) {
	t.Parallel()
	task := script(t, `async function execute() {
		Promise.reject(new Error("lost"))
		for (let i = 0; i < 9; i++) Promise.reject("more")
		const late = Promise.reject("late"); await 1; late.catch(() => 0)
		try { await Promise.reject("caught") } catch {}
		return 1
	}`)
	returns(t, task, `1`)
	log := task.Host.(*recorder).log()
	if strings.Count(log, "warn nobody awaits") != 5 || !strings.Contains(log, "Error: lost (t.js:2:18)") ||
		strings.Contains(log, "late") || strings.Contains(log, "caught") {
		t.Fatal(log)
	}
	task = script(t, `async function execute() { Promise.reject("lost"); await new Promise(() => {}) }`)
	fails(t, task, tool.ExecutionError, "never settles")
	if log := task.Host.(*recorder).log(); log != "warn nobody awaits a promise that was rejected: lost\n" {
		t.Fatal(log)
	}
	task = script(t, `async function execute() { throw new Error("x") }`)
	fails(t, task, tool.ExecutionError, "Error: x")
	if log := task.Host.(*recorder).log(); log != "" {
		t.Fatal("the error of the script itself was logged too:", log)
	}
}

// Run does not return while the host still works for it.
func TestRunWaitsForItsHost(t *testing.T) {
	t.Parallel()
	left := false
	task := function(t, `utils.callTool("slow", {}); return 1`)
	task.Host = calls(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		<-ctx.Done()
		left = true
		return nil, ctx.Err()
	})
	returns(t, task, `1`)
	if !left {
		t.Fatal("the operation still ran")
	}
	if log := task.Host.(*recorder).log(); !strings.Contains(log, "warn the script returned while it still waited") {
		t.Fatal(log)
	}
}

func TestHostWorksInParallel(t *testing.T) {
	t.Parallel()
	const n = 20
	var met atomic.Int32
	all := make(chan struct{})
	task := function(t, `return (await Promise.all(Array.from({length: 20}, (_, i) => utils.callTool("x", {i})))).length`)
	task.Host = calls(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		if met.Add(1) == n { // one of them, and only one, is the last
			close(all)
		}
		select {
		case <-all:
			return []byte("1"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	returns(t, task, `20`)
}

func TestDeadlineWhileTheHostWorks(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`await utils.callTool("x", {})`, `try { await utils.callTool("x", {}) } catch {} ; return 1`, `return utils.listTools()`,
	} {
		task := function(t, body)
		wait := func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		task.Host = &recorder{ops: map[Op]func(context.Context, json.RawMessage) (json.RawMessage, error){OpCall: wait, OpTools: wait}}
		err := briefly(t, task)
		isFailure(t, "", err, tool.Timeout, "timed out")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
}
