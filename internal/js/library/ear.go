package library

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// ear hears from the system that files change. One without a watcher hears
// nothing, which the look each second makes up for.
type ear struct {
	dirs    []string
	watcher *fsnotify.Watcher
	heard   chan struct{} // holds one token
	done    chan struct{}
}

// listen makes an ear for the directories.
func (l *Library) listen() *ear {
	e := &ear{dirs: l.opts.Dirs, heard: make(chan struct{}, 1), done: make(chan struct{})}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		l.opts.Log.Warn("changes in the tools directories are only looked for once a second", zap.Error(err))
		close(e.done)
		return e
	}
	e.watcher = w
	e.turn()
	go e.hear()
	return e
}

// turn makes sure that it is the directories as they are now that are listened
// to: one may have been replaced, or have got its libraries since. Where that
// fails, the look each second remains.
func (e *ear) turn() {
	if e.watcher == nil {
		return
	}
	for _, dir := range e.dirs {
		_ = e.watcher.Add(dir)
		_ = e.watcher.Add(filepath.Join(dir, libDir))
	}
}

// hear takes whatever is told, errors too, as a reason to look.
func (e *ear) hear() {
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
		case e.heard <- struct{}{}:
		default:
		}
	}
}

func (e *ear) close() {
	if e.watcher != nil {
		_ = e.watcher.Close() // there is nothing left to lose
	}
	<-e.done
}
