package execution

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestDelayed adds functions a millisecond apart, calls every other itself, and wants each
// called once: at that moment, or in its time.
func TestDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s delayed
		const n = 20
		began := time.Now()
		called := make(chan [2]int, 2*n) // which, and after how many milliseconds
		for i := range n {
			now := s.add(time.Now(), func() { called <- [2]int{i, int(time.Since(began).Milliseconds())} })
			if i%2 == 0 {
				now()
				now()
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		close(called)
		at := map[int]int{}
		for c := range called {
			if _, twice := at[c[0]]; twice {
				t.Errorf("function %d was called twice", c[0])
			}
			at[c[0]] = c[1]
		}
		for i := range n {
			if want := i + i%2*int(quick.Milliseconds()); at[i] != want {
				t.Errorf("function %d was called after %d ms, want %d", i, at[i], want)
			}
		}
		if len(at) != n || s.armed || len(s.waiting) > 0 {
			t.Errorf("%d functions were called, want %d; armed %v, %d wait", len(at), n, s.armed, len(s.waiting))
		}
	})
}

// TestDelayedWaitsForACallUnderWay: the caller of a function returns when it was called.
func TestDelayedWaitsForACallUnderWay(t *testing.T) {
	var s delayed
	begun, resume, done := make(chan struct{}), make(chan struct{}), false
	now := s.add(time.Now(), func() { close(begun); <-resume; done = true })
	<-begun
	go close(resume)
	if now(); !done {
		t.Error("the function returned before the call that was under way")
	}
}

func BenchmarkDelayed(b *testing.B) {
	b.Run("one timer", func(b *testing.B) {
		var s delayed
		b.ReportAllocs()
		for b.Loop() {
			s.add(time.Now(), func() {})()
		}
	})
	b.Run("a timer each", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			do := sync.OnceFunc(func() {})
			time.AfterFunc(quick, do).Stop()
			do()
		}
	})
}
