package crew

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGoRunsEveryFunctionOnce(t *testing.T) {
	var c Crew
	defer c.Close()
	var ran atomic.Int64
	var all sync.WaitGroup
	const want = 20_000
	for range 4 {
		all.Go(func() {
			var mine sync.WaitGroup
			for range want / 4 {
				mine.Add(1)
				c.Go(func() { ran.Add(1); mine.Done() })
			}
			mine.Wait()
		})
	}
	all.Wait()
	if got := ran.Load(); got != want {
		t.Errorf("%d functions ran, want %d", got, want)
	}
}

func TestGoNeverWaitsForAMember(t *testing.T) {
	var c Crew
	defer c.Close()
	block := make(chan struct{})
	var all sync.WaitGroup
	for range spare + 100 {
		all.Add(1)
		c.Go(func() { <-block; all.Done() })
	}
	done := make(chan struct{})
	c.Go(func() { close(done) })
	<-done // a crew that queued behind the blocked ones would hang here
	close(block)
	all.Wait()
}

func TestGoexitLosesOnlyItsOwnMember(t *testing.T) {
	var c Crew
	defer c.Close()
	gone := make(chan struct{})
	c.Go(func() { defer close(gone); runtime.Goexit() })
	<-gone
	done := make(chan struct{})
	c.Go(func() { close(done) })
	<-done
}

func TestCloseLetsWorkFinish(t *testing.T) {
	var c Crew
	release, done := make(chan struct{}), make(chan struct{})
	c.Go(func() { <-release; close(done) })
	c.Close()
	close(release)
	<-done
	again := make(chan struct{})
	c.Go(func() { close(again) })
	<-again
}

func BenchmarkGo(b *testing.B) {
	var c Crew
	defer c.Close()
	done := make(chan struct{})
	f := func() { done <- struct{}{} }
	for b.Loop() {
		c.Go(f)
		<-done
	}
}
