package js

import (
	"slices"
	"sync"
)

// mostNotes limits the notes of nested calls that are kept.
const mostNotes = 5

// notes holds the notes of a script's nested calls. It is safe for concurrent use.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(name string, notes []string) {
	if len(notes) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, note := range notes {
		if len(n.all) < mostNotes {
			n.all = append(n.all, name+": "+note)
		}
	}
}

// Notes returns the notes of the calls that the script made, each preceded by the name
// of its tool. The script itself gets only their results.
func (p *Ports) Notes() []string {
	p.notes.mu.Lock()
	defer p.notes.mu.Unlock()
	return slices.Clone(p.notes.all)
}
