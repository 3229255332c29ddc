package library

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// notifier receives file change notifications from the operating system. Without a watcher
// it receives none; the poll every second replaces them.
type notifier struct {
	dirs    []string
	watcher *fsnotify.Watcher
	changed chan struct{} // holds one token
	done    chan struct{}
}

// listen returns a notifier for the directories.
func (l *Library) listen() *notifier {
	e := &notifier{dirs: l.opts.Dirs, changed: make(chan struct{}, 1), done: make(chan struct{})}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		l.opts.Log.Warn("tools directory watcher unavailable; polling every second", zap.Error(err))
		close(e.done)
		return e
	}
	e.watcher = w
	e.turn()
	go e.run()
	return e
}

// turn watches the directories as they are now: a directory may have been replaced, or
// have got a lib directory since. If that fails, polling remains.
func (e *notifier) turn() {
	if e.watcher == nil {
		return
	}
	for _, dir := range e.dirs {
		_ = e.watcher.Add(dir)
		_ = e.watcher.Add(filepath.Join(dir, libDir))
	}
}

// run treats every notification, errors included, as a reason to look.
func (e *notifier) run() {
	defer close(e.done)
	for {
		select {
		case _, ok := <-e.watcher.Events:
			if !ok {
				return
			}
		case _, ok := <-e.watcher.Errors:
			if !ok {
				return
			}
		}
		select {
		case e.changed <- struct{}{}:
		default:
		}
	}
}

func (e *notifier) close() {
	if e.watcher != nil {
		_ = e.watcher.Close() // there is nothing left to lose
	}
	<-e.done
}
