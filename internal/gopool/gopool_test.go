package gopool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGoRunsEveryFunctionOnce(t *testing.T) {
	var p Pool
	defer p.Close()
	var ran atomic.Int64
	var all sync.WaitGroup
	const want = 20_000
	for range 4 {
		all.Go(func() {
			var mine sync.WaitGroup
			for range want / 4 {
				mine.Add(1)
				p.Go(func() { ran.Add(1); mine.Done() })
			}
			mine.Wait()
		})
	}
	all.Wait()
	if got := ran.Load(); got != want {
		t.Errorf("%d functions ran, want %d", got, want)
	}
}

func TestGoNeverWaitsForAnIdleGoroutine(t *testing.T) {
	var p Pool
	defer p.Close()
	block := make(chan struct{})
	var all sync.WaitGroup
	for range maxIdle + 100 {
		all.Add(1)
		p.Go(func() { <-block; all.Done() })
	}
	done := make(chan struct{})
	p.Go(func() { close(done) })
	<-done // a pool that queued behind the blocked ones would hang here
	close(block)
	all.Wait()
}

func TestGoexitLosesOnlyItsOwnGoroutine(t *testing.T) {
	var p Pool
	defer p.Close()
	gone := make(chan struct{})
	p.Go(func() { defer close(gone); runtime.Goexit() })
	<-gone
	done := make(chan struct{})
	p.Go(func() { close(done) })
	<-done
}

func TestCloseLetsWorkFinish(t *testing.T) {
	var p Pool
	release, done := make(chan struct{}), make(chan struct{})
	p.Go(func() { <-release; close(done) })
	p.Close()
	close(release)
	<-done
	again := make(chan struct{})
	p.Go(func() { close(again) })
	<-again
}

func BenchmarkGo(b *testing.B) {
	var p Pool
	defer p.Close()
	done := make(chan struct{})
	f := func() { done <- struct{}{} }
	for b.Loop() {
		p.Go(f)
		<-done
	}
}
