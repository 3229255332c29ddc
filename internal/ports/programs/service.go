package programs

import (
	"context"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// Service is an operator's program that runs beside the worker, unconfined. All
// processes that it started end with it, even those that left its group, and also when
// the worker is killed (on Linux; elsewhere only its group ends, and only by
// [Service.Kill]).
type Service struct {
	// File is the program, Args its arguments including its name, Env its complete
	// environment, and Dir its working directory.
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

// Start starts the program. Its error is for the operator.
func (s *Service) Start(ctx context.Context) error {
	defer func() {
		for _, file := range []*os.File{s.Stdin, s.Stdout, s.Stderr} {
			file.Close()
		}
	}()
	s.ended = make(chan struct{})
	return s.start(ctx)
}

// Kill ends the program and all processes that it started. It does not wait.
func (s *Service) Kill() { s.once.Do(func() { s.kill() }) }

// Ended is closed when the program and its processes are gone.
func (s *Service) Ended() <-chan struct{} { return s.ended }

// How returns the outcome after the end: nil for a program that exited with 0.
func (s *Service) How() error { return s.how }

func (s *Service) finish(how error) {
	s.how = how
	close(s.ended)
}

// statusError is the error of a program that failed or was killed.
type statusError syscall.WaitStatus

// Error implements error.
func (e statusError) Error() string {
	status := syscall.WaitStatus(e)
	if status.Signaled() {
		return "it was ended by the signal " + status.Signal().String()
	}
	return "it ended with the exit code " + strconv.Itoa(status.ExitStatus())
}
