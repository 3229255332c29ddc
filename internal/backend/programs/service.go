package programs

import (
	"context"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// Service is a program of the operator's own that runs beside the worker, as the worker
// itself and with nothing taken from it. All that it started ends with it, also when it
// left the program's group, and so it does when the worker is killed (on Linux; elsewhere
// only its group ends, and only by [Service.Kill]).
type Service struct {
	// File is the program, Args its arguments from the name on, Env the whole of its
	// environment, and Dir where it runs.
	File string
	Args []string
	Env  []string
	Dir  string
	// Stdin, Stdout and Stderr are the program's ends of pipes; Start closes them.
	Stdin, Stdout, Stderr *os.File

	kill  func()
	ended chan struct{}
	how   error
	once  sync.Once
}

// Start starts the program. Its error says what the operator has to look at.
func (s *Service) Start(ctx context.Context) error {
	defer func() {
		for _, file := range []*os.File{s.Stdin, s.Stdout, s.Stderr} {
			file.Close()
		}
	}()
	s.ended = make(chan struct{})
	return s.start(ctx)
}

// Kill ends the program and all that it started. It returns at once.
func (s *Service) Kill() { s.once.Do(func() { s.kill() }) }

// Ended is closed when nothing of the program is left.
func (s *Service) Ended() <-chan struct{} { return s.ended }

// How says, once it has ended, how: nil for a program that ended by itself, with 0.
func (s *Service) How() error { return s.how }

func (s *Service) finish(how error) {
	s.how = how
	close(s.ended)
}

// statusError is how a program ended that did not end well.
type statusError syscall.WaitStatus

// Error implements error.
func (e statusError) Error() string {
	status := syscall.WaitStatus(e)
	if status.Signaled() {
		return "it was ended by the signal " + status.Signal().String()
	}
	return "it ended with the exit code " + strconv.Itoa(status.ExitStatus())
}
