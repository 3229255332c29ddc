package people

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// writeAs writes a file of ann's workspace.
func writeAs(t *testing.T, d system.Door, path, content string) {
	t.Helper()
	system.Execute(t, d, "default", fmt.Sprintf(
		`{"context": {"user": "ann"}, "wait_ms": 30000, "calls": [{"tool": "write_file", "arguments": {"path": %q, "content": %q}}]}`, path, content))
}

// retry retries a program of ann's, and returns the id of the call that continues it.
func retry(t *testing.T, d system.Door, id string) string {
	t.Helper()
	r := d.Ask(t, "default", "programs.retry", map[string]string{"call_id": id}, "")
	if r.Status != 200 {
		t.Errorf("the retry of %s is answered %d %s", id, r.Status, r.Body)
		return ""
	}
	return system.Decode[protocol.ExecuteAnswer](t, r).Results[0].CallID
}

// acted returns how often debug.effect has acted by each key.
func acted(t *testing.T, d system.Door) map[string]int {
	t.Helper()
	e := system.Execute(t, d, "default", `{"context": {"user": "ann"}, "wait_ms": 30000, "calls": [{"tool": "read_file", "arguments": {"path": "ledger.txt"}}]}`)
	counts := map[string]int{}
	for line := range strings.SplitSeq(string(e.Results[0].Result), `\n`) {
		key, _, _ := strings.Cut(strings.TrimPrefix(line[strings.LastIndex(line, `"`)+1:], " "), " ")
		if key != "" && !strings.ContainsAny(key, "{}") {
			counts[key]++
		}
	}
	return counts
}

// TestProgramIsRetried: a failed program goes on as one new call, however often and by however many
// requests it is retried: its done steps, also those that failed and were caught, keep their
// outcomes, the failed one is made again, and the code sees the same id, time and randomness.
func TestProgramIsRetried(t *testing.T) {
	t.Parallel()
	doors := peopleWith(t, identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "bob", Roles: []string{"user"}},
		identity.Entry{User: "root", Roles: []string{"admin"}})
	ann := doors["ann"]
	runProgram(t, ann, "p", "try { await tools.read_file({path: 'none'}); } catch (e) { program.log('caught'); }\n"+
		"const began = [program.id, Math.random(), program.now()].join();\nawait tools.debug.effect({key: 'once', before_ms: 1});\n"+
		"await tools.calculate({expression: '1+' + began.length});\nconst {content} = await tools.read_file({path: 'late.txt'});\n"+
		"await tools.debug.effect({key: 'after'});\nreturn content + ' ' + began;")
	failed := system.Settled(t, ann, "default", "p")
	if failed.Status != "error" {
		t.Fatalf("the program ended in %+v", failed)
	}
	for name, door := range map[string]system.Door{"another person": doors["bob"], "an admin": doors["root"]} {
		system.WantProblem(t, name, door.Ask(t, "default", "programs.retry", map[string]string{"call_id": "p"}, ""), 404, client.NotFound)
	}
	writeAs(t, ann, "late.txt", "hello")
	writeAs(t, ann, "none", "is there now")
	ids := make([]string, 4)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = retry(t, ann, "p") })
	}
	all.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Fatalf("the retries are %v", ids)
		}
	}
	next := ids[0]
	if got := system.Settled(t, ann, "default", next); got.Status != "success" || !strings.HasPrefix(string(got.Result), `"hello p,0.`) {
		t.Errorf("the retry ended in %+v", got)
	}
	if got := acted(t, ann); got["once"] != 1 || got["after"] != 1 {
		t.Errorf("the effects are %v", got)
	}
	if again := retry(t, ann, "p"); again != next {
		t.Errorf("another retry is %s, want %s", again, next)
	}
	detail := func(id string) protocol.ProgramDetail {
		return system.Decode[protocol.ProgramDetail](t, ann.Ask(t, "default", "programs.get", map[string]string{"call_id": id}, ""))
	}
	var steps []string
	for _, step := range detail(next).Steps {
		steps = append(steps, step.CallID+" "+step.Status)
	}
	want := fmt.Sprintf("[p~1 error p~2 success p~3 success %[1]s~4 success %[1]s~5 success]", next)
	if fmt.Sprint(steps) != want || detail(next).RerunOf != "p" || detail("p").RetriedBy != next || len(detail(next).Log) != 1 {
		t.Errorf("the retry is %+v, want steps %s", detail(next), want)
	}
	trail := string(doors["root"].Ask(t, "default", "audit.query", map[string]string{"call_id": next}, "").Body)
	if !strings.Contains(trail, "rerun of call p") {
		t.Errorf("the trail has %s", trail)
	}
}

// TestProgramIsNotRetried: a program whose retry would end as it did, or make a step twice, is not
// retried, and a retry whose code does something else ends before it calls anything.
func TestProgramIsNotRetried(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	for id, tt := range map[string]struct{ code, says string }{
		"own":      {"throw new Error('quokka')", "run a corrected program"},
		"imitated": {"try { await tools.read_file({path: 'x'}) } catch (e) { throw Object.assign(new Error('x'), {call_id: e.call_id}) }", "run a corrected program"},
		"well":     {"return 1", "succeeded"},
		"nested": {"await tools.run_program({code: \"await tools.debug.effect({key: 'in'}); await tools.read_file({path: 'x'})\"})",
			"may have made steps itself"},
	} {
		runProgram(t, ann, id, tt.code)
		system.Settled(t, ann, "default", id)
		r := ann.Ask(t, "default", "programs.retry", map[string]string{"call_id": id}, "")
		system.WantProblem(t, id, r, 409, client.Conflict)
		if !strings.Contains(string(r.Body), tt.says) {
			t.Errorf("%s: %s", id, r.Body)
		}
	}
	runProgram(t, ann, "lives", "await program.sleep('1h')")
	untilWaitingFor(t, ann, "lives", protocol.WaitSleep)
	system.WantProblem(t, "lives", ann.Ask(t, "default", "programs.retry", map[string]string{"call_id": "lives"}, ""), 409, client.Conflict)
	ann.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "lives"}, "")
	system.Eventually(t, "it has ended", func() bool {
		r := ann.Ask(t, "default", "programs.get", map[string]string{"call_id": "lives"}, "")
		return system.Decode[protocol.ProgramDetail](t, r).State == protocol.StateDone
	})
	if next := retry(t, ann, "lives"); next != "" { // a person who cancelled it may change their mind
		untilWaitingFor(t, ann, next, protocol.WaitSleep)
	}

	runProgram(t, ann, "tidies", "try { await tools.read_file({path: 'late'}) } catch (e) { await tools.debug.effect({key: 'tidied'}); throw e }")
	system.Settled(t, ann, "default", "tidies")
	writeAs(t, ann, "late", "hello")
	got := system.Settled(t, ann, "default", retry(t, ann, "tidies"))
	if got.ErrorType != "execution_error" || !strings.Contains(got.Message, "does not belong to this run") {
		t.Errorf("the code that does something else ended in %+v", got)
	}
	if got := acted(t, ann); got["tidied"] != 1 || got["in"] != 1 {
		t.Errorf("the effects are %v", got)
	}
}
