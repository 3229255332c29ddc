package preview

import "strings"

// detail is the amount of an argument to write.
type detail struct {
	share int // the part of the room that a text may take
	kids  int // values of one object or array
	depth int // objects and arrays within one another
}

// details are in decreasing order, from everything to the minimum, in which texts have
// leastText bytes and objects and arrays are only counted.
var details = []detail{{1, maxKids, maxDepth}, {2, 400, maxDepth}, {8, 60, 16}, {32, 12, 5}, {64, 4, 2}, {maxBytes, 0, 0}}

const (
	leastText = 96
	cutRoom   = 64 // for the note on the amount that was cut from a text
)

// fit writes an argument in the finest detail that takes at most room bytes, or else in its
// least form.
func fit(n *node, room int) (a argument) {
	for _, d := range details {
		if a = write(n, d, room); a.size() <= room {
			break
		}
	}
	return a
}

// write writes an argument in one detail. It stops soon after it exceeds its room.
func write(n *node, d detail, room int) argument {
	w := writer{detail: d, room: room}
	w.path.key(n.label)
	w.name(n.label)
	frame := max(len(w.json), len(w.path)+len(": ")+len(n.aside)+len(" ()\n"))
	w.text = max(leastText, (room-frame-cutRoom)/d.share)
	w.value(n, 0)
	return w.argument
}

// writer writes one argument, as JSON and as lines at the same time.
type writer struct {
	argument
	detail
	path path
	room int // stop beyond this size, 0 for never
	text int // bytes of one text
}

// value writes a value with its contents.
func (w *writer) value(n *node, depth int) {
	switch {
	case w.room > 0 && w.size() > w.room:
	case n.hidden != "":
		w.json = quote(w.json, n.hidden, true)
		w.remark(n.hidden)
	case n.kind == '"':
		text, cut := shown(n.text, w.text)
		w.cut = w.cut || cut
		w.json = quote(w.json, text, true)
		w.line = quote(w.begin(), text, false)
		if n.aside != "" {
			w.line = append(append(append(w.line, " ("...), n.aside...), ')')
		}
		w.line = append(w.line, '\n')
	case n.kind != '{' && n.kind != '[':
		w.json = append(w.json, n.text...)
		w.remark(n.text)
	case n.size == 0:
		w.json = append(w.json, byte(n.kind), byte(n.kind)+2)
		w.remark(string([]byte{byte(n.kind), byte(n.kind) + 2}))
	case depth >= w.depth:
		w.cut = true
		text := "… " + kindName(n.kind) + " of " + count(n.size, noun(n)) + " …"
		w.json = quote(w.json, text, true)
		w.remark(text)
	default:
		w.container(n, depth)
	}
}

// container writes the members or items for which there is room and counts the
// others.
func (w *writer) container(n *node, depth int) {
	w.json = append(w.json, byte(n.kind))
	kids := n.kids[:min(len(n.kids), w.kids)]
	for i := range kids {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		var back int
		if n.kind == '{' {
			back = w.path.key(kids[i].label)
			w.name(kids[i].label)
		} else {
			back = w.path.index(i)
		}
		w.value(&kids[i], depth+1)
		w.path.cut(back)
	}
	if missing := n.size - len(kids); missing > 0 {
		w.cut = true
		if len(kids) > 0 {
			w.json = append(w.json, ',')
		}
		text := more(missing, noun(n))
		if n.kind == '{' {
			w.json = append(append(append(w.json, `"…":"`...), text...), '"')
		} else {
			w.json = append(append(append(w.json, `"… `...), text...), ` …"`...)
		}
		w.remark("… " + text + " …")
	}
	w.json = append(w.json, byte(n.kind)+2)
}

// name writes the name of a member. Only the preview writes a bare … into a name.
func (w *writer) name(label string) {
	w.json = append(quote(w.json, label, true), ':')
	w.cut = w.cut || strings.Contains(label, "…")
}

// begin writes the path of a line.
func (w *writer) begin() []byte { return append(append(w.line, w.path.String()...), ": "...) }

// remark writes a line with something other than a string.
func (w *writer) remark(text string) { w.line = append(append(w.begin(), text...), '\n') }

// noun returns the word for the contents of an object or array.
func noun(n *node) string {
	if n.kind == '{' {
		return "member"
	}
	return "item"
}
