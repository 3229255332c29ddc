package js

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxThrown limits the shown part of a thrown value, in bytes.
const maxThrown = 2 << 10

// rejection is the error of a rejected promise, or of any thrown value without a
// position.
type rejection struct{ reason goja.Value }

func (rejection) Error() string { return "the promise was rejected" }

// recovered converts a panic to an error.
func recovered(v any) error {
	switch v := v.(type) {
	case goja.Value: // thrown by native code
		return rejection{v}
	case error:
		return v
	}
	return fmt.Errorf("panic: %v", v)
}

// failure creates the Error that a script sees for an error of the host: its message,
// and its kind as error_type. The object is remembered here: a script that does not
// catch it fails with the kind of the host, but a script that throws an imitation does
// not.
func (r *realm) failure(err error) goja.Value {
	e := tool.AsError(err)
	obj := r.error("Error", e.Msg)
	_ = obj.DefineDataProperty("error_type", r.vm.ToValue(string(e.Kind)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	if r.failures == nil {
		r.failures = map[*goja.Object]*tool.Error{}
	}
	r.failures[obj] = e
	return obj
}

// error creates an Error of the given name. It looks up nothing that a script may have
// replaced.
func (r *realm) error(name, message string) *goja.Object {
	obj := r.vm.NewTypeError("%s", message)
	if parent := obj.Prototype(); parent != nil && parent.Prototype() != nil {
		_ = obj.SetPrototype(parent.Prototype()) // the prototype of Error
	}
	if name != "Error" {
		_ = obj.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	return obj
}

// explain converts any error of a run to the caller's error. It keeps no error of goja,
// because even unwrapping or printing one can run code of the script.
func (r *realm) explain(err error) (e *tool.Error) {
	defer func() {
		if v := recover(); v != nil { // reading the thrown value panicked
			e = tool.Fail(tool.ExecutionError, "the script failed with an error that cannot be read")
			if r.ctx.Err() != nil {
				e = r.ended()
			}
		}
	}()
	if r.ctx.Err() != nil {
		return r.ended()
	}
	switch err := err.(type) { //nolint:errorlint // see above
	case *tool.Error:
		return err
	case rejection:
		return r.thrown(err.reason, nil)
	case *goja.StackOverflowError:
		return tool.Fail(tool.ExecutionError, "RangeError: functions call each other too deeply%s", r.at(err.Stack()))
	case *goja.Exception:
		return r.thrown(err.Value(), err.Stack())
	default:
		return tool.Fail(tool.ExecutionError, "the script broke the runtime").Because(err)
	}
}

// thrown returns the error of a script that threw v. The stack is the position for a
// value without one.
func (r *realm) thrown(v goja.Value, stack []goja.StackFrame) *tool.Error {
	if obj, ok := v.(*goja.Object); ok {
		// Throwing an Error again shows where it was created.
		if thrown := r.vm.Try(func() { panic(obj) }); thrown != nil && len(thrown.Stack()) > 0 {
			stack = thrown.Stack()
		}
		if f, ok := r.failures[obj]; ok {
			at := r.at(stack)
			if at == "" && r.program != nil {
				at = r.program.origin(obj)
			}
			return tool.Fail(kept(f.Kind), "%s%s", f.Msg, at).Because(f)
		}
	}
	text := r.describe(v)
	if r.program != nil {
		text += instead(text, r.task.Program.head)
	}
	return tool.Fail(tool.ExecutionError, "%s%s", text, r.at(stack))
}

// kept returns the kind of a call whose script did not catch a failure of that kind.
// Three kinds would be false statements about the call itself: that Helve is at fault,
// that nothing was done, that it may be sent again.
func kept(k tool.Kind) tool.Kind {
	if k == tool.Internal || k == tool.Cancelled || k == tool.Overloaded {
		return tool.ExecutionError
	}
	return k
}

// at writes the first position of a stack that is in a file of the tool, as "
// (file.js:3:14)", or nothing.
func (r *realm) at(stack []goja.StackFrame) string {
	for _, frame := range stack {
		p := frame.Position()
		if head, ok := r.files[p.Filename]; ok && p.Line > 0 {
			return " (" + place(p, head) + ")"
		}
	}
	return ""
}

// describe formats a thrown value in at most maxThrown bytes: an Error by name and
// message, other values as console does.
func (r *realm) describe(v goja.Value) string {
	obj, ok := v.(*goja.Object)
	if !ok || obj.ClassName() != "Error" {
		return r.inspect(maxThrown, v)
	}
	name, message := r.text(obj, "name"), r.text(obj, "message")
	if name == "" {
		name = "Error"
	}
	if message != "" {
		name += ": " + message
	}
	return cut(name, maxThrown)
}

// text returns a property if it is a string. Other types and getters that throw are
// ignored.
func (r *realm) text(obj *goja.Object, property string) string {
	var v goja.Value
	_ = r.vm.Try(func() { v = obj.Get(property) })
	if s, ok := v.(goja.String); ok {
		return s.String()
	}
	return ""
}

// cut shortens a text to most bytes.
func cut(s string, most int) string { return textcut.Fit(s, most) }
