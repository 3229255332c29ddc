package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// rounds is enough for dozens of collections and for all kinds of threads.
const rounds = 120

// work does what a busy program does, and echoes its input throughout.
func work() {
	socket := os.NewFile(3, "socket")
	echoed := make(chan error, 1)
	go func() {
		_, err := io.Copy(socket, socket)
		echoed <- err
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	for range rounds {
		busy()
	}
	debug.FreeOSMemory()
	runtime.ReadMemStats(&after)
	_, denied := os.ReadFile("/etc/passwd")
	_, zone := time.LoadLocation("Nowhere/At_all")
	err := <-echoed
	if after.NumGC-before.NumGC < 10 || time.Since(started) <= 0 || !os.IsPermission(denied) || zone == nil || err != nil {
		panic(fmt.Sprint("work: ", after.NumGC-before.NumGC, " collections in ", time.Since(started), ", ", denied, ", ", zone, ", ", err))
	}
}

// busy runs goroutines that allocate, sleep, recurse, panic, draw random numbers and
// lock threads.
func busy() {
	var g sync.WaitGroup
	for i := range 40 {
		g.Go(func() {
			defer func() { _ = recover() }()
			if i%8 == 0 {
				runtime.LockOSThread() // the thread ends with the goroutine
			}
			b := make([]byte, 8<<10*(i%5+1))
			_, _ = rand.Read(b[:64])
			<-time.After(time.Duration(i) * 10 * time.Microsecond)
			if deep(500*(i%4)) == 0 && i%2 == 0 {
				panic(b[0])
			}
		})
	}
	g.Wait()
}

// deep needs a big stack.
func deep(n int) int {
	var frame [64]int
	if n == 0 {
		return frame[0]
	}
	return deep(n-1) + frame[n%64]
}

// memory allocates more than the process may have.
func memory() {
	var held [][]byte
	for range 64 {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		held = append(held, b)
	}
	say(fmt.Sprint("allocated ", len(held)))
}
