package js

import "github.com/dop251/goja"

// bridge creates the global of that name, or returns nil if there is none. The bridges
// are on the prototype of the global object, where a script can hide but not change
// them.
func (r *realm) bridge(name string) goja.Value {
	if r.program != nil {
		return r.pure(name)
	}
	switch name {
	case "console":
		return r.console()
	case "fetch":
		if r.task.Network {
			return r.fetch()
		}
	case "fs":
		if r.task.Files {
			return r.fs()
		}
	case "Headers":
		return r.headers()
	case "URL":
		return r.url()
	case "URLSearchParams":
		return r.urlSearchParams()
	case "TextEncoder":
		return r.textEncoder()
	case "TextDecoder":
		return r.textDecoder()
	case "atob":
		return r.atob()
	case "btoa":
		return r.btoa()
	case "crypto":
		return r.crypto()
	case "_time":
		return r.function(name, r.formatTime)
	case "lib":
		if r.task.Lib != nil {
			return r.function(name, r.lib)
		}
	}
	if name == arrayLength {
		return r.function("", r.checkedLength)
	}
	if name == spreadList {
		return r.function("", r.checkedSpread)
	}
	if isBigIntOperator(name) {
		return r.bigIntOperator(name)
	}
	if !r.body() {
		return r.operators(name)
	}
	return nil
}

// pure creates the globals of a program: those that give the same answers whenever and
// wherever it runs again.
func (r *realm) pure(name string) goja.Value {
	switch name {
	case "console":
		return r.console()
	case "URL":
		return r.url()
	case "URLSearchParams":
		return r.urlSearchParams()
	case "TextEncoder":
		return r.textEncoder()
	case "TextDecoder":
		return r.textDecoder()
	case "atob":
		return r.atob()
	case "btoa":
		return r.btoa()
	case "crypto":
		return r.crypto()
	}
	return nil
}

// operators creates the globals that only operators' files have.
func (r *realm) operators(name string) goja.Value {
	switch name {
	case "setTimeout":
		return r.function(name, r.setTimeout)
	case "clearTimeout":
		return r.function(name, r.clearTimeout)
	case "_env":
		return r.env
	}
	return nil
}

// lazy is an object whose properties are created when a script first names them:
// creating all bridges in advance would make a runtime 25 times as expensive.
type lazy struct {
	make  func(name string) goja.Value // nil if there is no such property
	names []string                     // the listed properties
	made  map[string]goja.Value
}

func (l *lazy) Get(name string) goja.Value {
	if v, ok := l.made[name]; ok {
		return v
	}
	v := l.make(name)
	if v != nil {
		if l.made == nil {
			l.made = map[string]goja.Value{}
		}
		l.made[name] = v
	}
	return v
}

func (l *lazy) Has(name string) bool        { return l.Get(name) != nil }
func (l *lazy) Set(string, goja.Value) bool { return false }
func (l *lazy) Delete(string) bool          { return false }
func (l *lazy) Keys() []string              { return l.names }
