package sandbox

import (
	"slices"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
)

// library is the set of sources that a child keeps. The pool decides which, so that both
// always agree.
type library struct {
	kept []kept // the most recently used one is last
	size int    // bytes of code
	last uint64 // the last assigned number
}

type kept struct {
	number     uint64
	kind       wire.Kind
	name, code string
}

const (
	mostPrograms = 32
	mostSource   = 8 << 20 // bytes
)

// use returns the number of the job's program, and the frame to send for it: nil if the
// child has the source.
func (l *library) use(j *Job) (number uint64, news *wire.Program) {
	kind := j.kind()
	same := func(k kept) bool { return k.kind == kind && k.name == j.Name && k.code == j.Code }
	if i := slices.IndexFunc(l.kept, same); i >= 0 {
		k := l.kept[i]
		l.kept = append(slices.Delete(l.kept, i, i+1), k)
		return k.number, nil
	}
	l.last++
	l.kept = append(l.kept, kept{l.last, kind, j.Name, j.Code})
	l.size += len(j.Code)
	news = &wire.Program{Number: l.last, Kind: kind, Name: j.Name, Code: j.Code}
	for len(l.kept) > mostPrograms || l.size > mostSource {
		news.Forget = append(news.Forget, l.kept[0].number)
		l.size -= len(l.kept[0].code)
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	return l.last, news
}

// kind returns the kind of the job's source.
func (j *Job) kind() wire.Kind {
	switch {
	case j.Durable == nil:
		return wire.Body
	case j.Durable.Tool:
		return wire.DurableTool
	}
	return wire.Durable
}
