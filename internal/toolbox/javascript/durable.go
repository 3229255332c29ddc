package javascript

import (
	"errors"

	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// declared returns the tools that an entry of a durable tool's list names, for a person who has
// none of their own.
func (s *scripts) declared(entry string) []*tool.Definition {
	return s.host.Tools.Declared("", "", entry)
}

// understated returns the durable tools that state less than the tools that they may call, by
// name.
func (s *scripts) understated(loaded []library.Loaded) map[string]error {
	refused := map[string]error{}
	for _, t := range loaded {
		if why := t.Understated(s.declared); why != "" {
			refused[t.Tool.Name] = errors.New(why)
		}
	}
	return refused
}

// undeclared returns a load error for each durable tool that may call tools which nobody has now.
func (s *scripts) undeclared() (list []protocol.LoadError) {
	for _, t := range s.library.Tools() {
		if why := t.Undeclared(s.declared); why != "" {
			list = append(list, protocol.LoadError{File: t.File, Entry: entryOf(t.Entry), Reason: why})
		}
	}
	return list
}
