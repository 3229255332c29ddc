package embedded

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/device"
)

const (
	// guardEvery is the interval at which the device's free space is measured.
	guardEvery = 250 * time.Millisecond
	// restartFirst and restartMost are the shortest and longest pause between restarts:
	// a device that fails for another reason than lack of space must not keep the
	// server busy.
	restartFirst = time.Second
	restartMost  = 30 * time.Second
)

// Check returns an error while the server cannot store messages: the device of its
// directory is full, or a write failed and the server has not been restarted.
func (s *Server) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.full:
		return fmt.Errorf("no space on the device of the NATS store at %s", s.opts.Dir)
	case s.failed:
		return fmt.Errorf("a write to the NATS store at %s failed; the server is started again", s.opts.Dir)
	}
	return nil
}

// unwritten records a failed write.
func (s *Server) unwritten() {
	s.mu.Lock()
	s.failed = true
	s.mu.Unlock()
	select {
	case s.look <- struct{}{}:
	default:
	}
}

// guard measures the device until Stop, and restarts the server after a failed write,
// once there is room. A stream whose write failed refuses writes for the life of its
// server, without a reply to the publisher.
func (s *Server) guard() {
	defer close(s.guarded)
	tick := time.NewTicker(guardEvery)
	defer tick.Stop()
	pause, next := restartFirst, time.Time{}
	for {
		select {
		case <-s.stopping:
			return
		case <-tick.C:
		case <-s.look:
		}
		now := time.Now()
		if !s.measure() || now.Before(next) {
			if now.Sub(next) > restartMost {
				pause = restartFirst
			}
			continue
		}
		if err := s.restart(); err != nil {
			s.opts.Log.Error("nats server not started again", zap.Duration("retry_in", pause), zap.Error(err))
		} else {
			s.opts.Log.Info("nats server started again after a failed write", zap.String("dir", s.opts.Dir))
		}
		next = time.Now().Add(pause)
		pause = min(2*pause, restartMost)
	}
}

// measure updates the state of the device and reports whether the server is to be
// started again.
func (s *Server) measure() bool {
	space, err := device.Of(s.opts.Dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return s.failed // the device itself is away, or of a kind that is not measured
	}
	switch {
	case !s.full && space.Full():
		s.full = true
		s.opts.Log.Error("no space on the device of the NATS store", zap.String("dir", s.opts.Dir),
			zap.Int64("free_bytes", space.Free), zap.Int64("needed_bytes", space.Least()))
	case s.full && space.Enough():
		s.full = false
		s.opts.Log.Info("space on the device of the NATS store again", zap.String("dir", s.opts.Dir), zap.Int64("free_bytes", space.Free))
	}
	return s.failed && !s.full
}

// restart stops the server and starts it on its address and directory. Clients
// connect again by themselves.
func (s *Server) restart() error {
	s.mu.Lock()
	old := s.srv
	s.mu.Unlock()
	old.Shutdown()
	old.WaitForShutdown()
	s.mu.Lock()
	s.failed = false
	s.mu.Unlock()
	srv, err := start(s.opts, s.host, s.port, s.lines)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = true
		return err
	}
	s.srv = srv
	return nil
}
