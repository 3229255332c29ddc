package faults

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestProgramsDeletedBehindTheBack deletes the journals, or the states of programs, while programs sleep,
// wait for a person and have made steps. Journals are made again from the steps, which are joined; a
// program whose state is gone ends with a sentence. No step acts twice, and new programs run. At night
// they are so old that nothing is made again before a dispatcher starts, as after a restart.
func TestProgramsDeletedBehindTheBack(t *testing.T) {
	for _, stream := range []string{"HELVE_PROGRAMS", "KV_helve_programs"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.worker()
			d := w.dispatcher(quickly)
			var old time.Duration
			if atNight() {
				old = time.Minute + 5*time.Second
			}
			code := func(id, wait string) *call {
				return w.call(defaultTenant, id, "run_program", map[string]any{
					"code": fmt.Sprintf(`await tools.debug.effect({key: "a"}); %s await tools.debug.effect({key: "b"}); return %q;`, wait, id),
				})
			}
			calls := []*call{
				code("asleep", fmt.Sprintf(`await program.sleep(%q);`, time.Now().Add(old+3*time.Second).UTC().Format(time.RFC3339Nano))), code("asks", `await program.ask("Go on?", {type: "boolean"});`),
				code("steps", fmt.Sprintf(`await tools.debug.sleep({ms: %d});`, (old+3*time.Second).Milliseconds())),
			}
			for _, c := range calls {
				if a := d.asPerson(0, c); a.status != http.StatusOK {
					t.Fatalf("%s is answered %+v", c.ID, a)
				}
			}
			w.waiting(d, calls...)
			question := d.show("asks").Waiting[0].ConsentID
			js := w.observe().js
			last(old)
			if err := js.DeleteStream(t.Context(), stream); err != nil {
				t.Fatal(err)
			}
			if old > 0 {
				await(t, "the end of readiness", func() bool { return ready(d.url) == http.StatusServiceUnavailable })
				w.dispatcher(quickly)
			}
			await(t, stream+" made again", func() bool { _, err := js.Stream(t.Context(), stream); return err == nil })
			d.answer(question)
			for _, c := range calls {
				e := d.ended(c)
				lost := e.outcome() == "execution_error" && strings.Contains(e.Message, "state of the program was lost")
				if stream == "HELVE_PROGRAMS" && e.outcome() != "success" || stream != "HELVE_PROGRAMS" && !lost {
					t.Errorf("%s ended in %s: %s", c.ID, e.outcome(), e.Message)
				}
			}
			await(t, "a new program", func() bool {
				a := d.asPerson(patience(), code(fmt.Sprintf("new%d", len(w.calls)), ""))
				return len(a.elements) == 1 && a.elements[0].outcome() == "success"
			})
			for id, n := range w.personalLedger() {
				if n != 1 {
					t.Errorf("%s acted %d times", id, n)
				}
			}
		})
	}
}
