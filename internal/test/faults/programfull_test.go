package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// fillStore keeps the server's storage without room, by a stream of somebody else that takes what becomes
// free, and returns a function that ends it.
func (o observer) fillStore() (empty func()) {
	o.t.Helper()
	const name = "OTHER"
	if _, err := o.js.CreateStream(o.t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{"other"}}); err != nil {
		o.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(o.t.Context())
	full, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		filled := sync.OnceFunc(func() { close(full) })
		for size := 1 << 20; ctx.Err() == nil; {
			if _, err := o.js.Publish(ctx, "other", make([]byte, size)); err == nil {
				continue
			}
			if size >>= 2; size < 16 { // not even a small message has room
				filled()
				size = 16
				<-time.After(lookFirst)
			}
		}
	}()
	select {
	case <-full:
	case <-time.After(patience()):
		o.t.Fatal("the store does not become full")
	}
	return func() {
		o.t.Helper()
		stop()
		<-ended
		if err := o.js.DeleteStream(o.t.Context(), name); err != nil {
			o.t.Fatal(err)
		}
	}
}

// waiting waits until programs wait as data. On a busy machine a program that slept may have ended when the
// last one waits.
func (w *world) waiting(d door, calls ...*call) {
	w.t.Helper()
	for _, c := range calls {
		await(w.t, c.ID+" waits", func() bool {
			e, _ := d.get(c)
			return e.State == "waiting" || e.ended()
		})
	}
}

// TestProgramsOnAFullStore leaves programs no room to be stored, by a limit of the server or on its disk:
// meanwhile a new one is refused with the reason, and those that are asleep, that run, and that wait for a
// person neither end nor vanish. When there is room they all continue, and each step acts once.
func TestProgramsOnAFullStore(t *testing.T) {
	t.Run("limit", func(t *testing.T) {
		t.Parallel()
		w := newClusterOf(t, "natsd", []string{"-store", "200000000"}, t.TempDir()).world()
		programsWithoutRoom(t, w, "storage", w.observe().fillStore)
	})
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		disk := t.TempDir()
		if err := syscall.Mount("helve-test", disk, "tmpfs", 0, "size=96m"); errors.Is(err, os.ErrPermission) {
			t.Skip("programs on a full disk were NOT tested: only root may mount a small disk")
		} else if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
		w := newClusterOf(t, "natsd", nil, filepath.Join(disk, "nats")).world()
		programsWithoutRoom(t, w, "", func() (empty func()) {
			filler := filepath.Join(disk, "filler")
			fill(t, filler)
			return func() {
				if err := os.Remove(filler); err != nil {
					t.Error(err)
				}
			}
		})
	})
}

// programsWithoutRoom runs programs in a world whose store has no room for a while.
// Says is a part of the answer to a new program, empty if the server does not answer.
func programsWithoutRoom(t *testing.T, w *world, says string, full func() (empty func())) {
	t.Helper()
	w.worker()
	d := w.dispatcher(quickly)
	code := func(id, begin string) *call {
		return w.call(defaultTenant, id, "run_program", map[string]any{
			"code": begin + fmt.Sprintf(`await tools.debug.effect({key: "a"}); await tools.debug.effect({key: "b"}); return %q;`, id),
		})
	}
	asleep, running := code("asleep", `await program.sleep("8s");`), code("running", `await tools.debug.sleep({ms: 8000});`)
	asks := code("asks", `if (!await program.ask("Go on?", {type: "boolean"})) throw new Error("no");`)
	calls := []*call{asleep, running, asks}
	for _, c := range calls {
		if a := d.asPerson(0, c); a.status != http.StatusOK {
			t.Fatalf("%s is answered %+v", c.ID, a)
		}
	}
	w.waiting(d, calls...)
	question := d.show(asks.ID).Waiting[0].ConsentID
	over := map[*call]bool{} // before the store was full, on a busy machine
	for _, c := range calls {
		e, _ := d.get(c)
		over[c] = e.ended()
	}
	empty := full()
	late := code("late", "")
	refused := func() bool {
		a := d.asPerson(time.Second, late)
		return len(a.elements) == 1 && a.elements[0].outcome() == "overloaded" && strings.Contains(a.elements[0].Message, says)
	}
	if says == "" {
		refused()
	} else {
		await(t, "a refusal with the reason", refused)
	}
	last(8 * time.Second) // until the sleeps are over
	for _, c := range calls {
		if e, status := d.get(c); !over[c] && (status != http.StatusOK || e.ended()) {
			t.Errorf("without room %s is %d %+v", c.ID, status, e)
		}
	}
	empty()
	await(t, "the answer is taken", func() bool {
		status := d.answer(question)
		return status == http.StatusOK || status == http.StatusConflict
	})
	for _, c := range append(calls, late) {
		var e element
		await(t, "the end of "+c.ID, func() bool {
			got := d.asPerson(10*time.Second, c)
			if len(got.elements) == 1 {
				e = got.elements[0]
			}
			return e.ended() && e.outcome() != "overloaded"
		})
		if e.outcome() != "success" || string(e.Result) != fmt.Sprintf("%q", c.ID) {
			t.Errorf("%s ended in %s (%s) with %s", c.ID, e.outcome(), e.Message, e.Result)
		}
	}
	lines := w.personalLedger()
	for id, n := range lines {
		if n != 1 {
			t.Errorf("%s acted %d times", id, n)
		}
	}
	if len(lines) != 8 {
		t.Errorf("%d steps acted, want 8", len(lines))
	}
	w.settled(d)
}
