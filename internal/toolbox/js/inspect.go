package js

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

const (
	maxShown      = 4   // levels of nested objects
	maxShownItems = 100 // properties or elements of one object
)

// printer formats values for people, in a limited number of bytes.
type printer struct {
	r    *realm
	most int
	out  strings.Builder
}

// inspect formats values for people: strings unchanged, everything else roughly as
// source code. It is safe for any object that a script can create.
func (r *realm) inspect(most int, values ...goja.Value) string {
	p := &printer{r: r, most: most}
	for i, v := range values {
		if i > 0 {
			p.write(" ")
		}
		if s, ok := v.(goja.String); ok {
			p.write(s.String())
			continue
		}
		if thrown := r.vm.Try(func() { p.value(v, 0) }); thrown != nil {
			p.write("[unreadable]")
		}
	}
	return cut(p.out.String(), most)
}

func (p *printer) full() bool { return p.out.Len() > p.most }

func (p *printer) write(s string) {
	if !p.full() {
		p.out.WriteString(s[:min(len(s), p.most+1)])
	}
}

func (p *printer) value(v goja.Value, depth int) {
	if p.full() {
		return
	}
	switch v := v.(type) {
	case nil:
		p.write("undefined")
	case goja.String:
		text := v.String()
		p.write(strconv.Quote(text[:min(len(text), p.most)]))
	case *goja.Symbol:
		p.write("Symbol(" + v.String() + ")")
	case *goja.Object:
		p.object(v, depth)
	default:
		p.write(v.String())
		if goja.IsBigInt(v) {
			p.write("n")
		}
	}
}

var (
	proxyType = reflect.TypeFor[goja.Proxy]()
	timeType  = reflect.TypeFor[time.Time]()
	mapType   = reflect.TypeFor[[][2]any]()
	setType   = reflect.TypeFor[[]any]() // also the length of an array
)

func (p *printer) object(obj *goja.Object, depth int) {
	if obj.ExportType() == proxyType {
		p.write("[Proxy]") // nothing of it can be read without running code
		return
	}
	switch class := obj.ClassName(); {
	case class == "Error":
		p.write(p.r.thrown(obj, nil).Msg)
	case class == "Function":
		p.write(strings.TrimSpace("[Function "+p.r.text(obj, "name")) + "]")
	case obj.ExportType() == promiseType:
		p.write("[Promise]")
	case obj.ExportType() == timeType:
		if date, _ := obj.Export().(time.Time); !date.IsZero() {
			p.write(date.UTC().Format("2006-01-02T15:04:05.000Z"))
		} else {
			p.write("[Invalid Date]")
		}
	case class == "RegExp":
		p.write("[RegExp]")
	case depth >= maxShown:
		p.write("[" + class + "]")
	case class == "Array":
		p.array(obj, depth)
	case obj.ExportType() == mapType:
		p.entries(obj, "Map", depth)
	case obj.ExportType() == setType:
		p.entries(obj, "Set", depth)
	case obj.ExportType().Kind() == reflect.Slice:
		p.write("[TypedArray]")
	default:
		p.properties(obj, depth)
	}
}

func (p *printer) array(obj *goja.Object, depth int) {
	p.write("[")
	length := obj.Get("length").ToInteger()
	for i := range min(length, maxShownItems) {
		if p.full() {
			return
		}
		p.separate(int(i))
		p.value(obj.Get(fmt.Sprint(i)), depth+1)
	}
	p.rest(int(length))
	p.write("]")
}

func (p *printer) properties(obj *goja.Object, depth int) {
	keys := obj.Keys()
	p.write("{")
	for i, key := range keys[:min(len(keys), maxShownItems)] {
		if p.full() {
			return
		}
		p.separate(i)
		p.write(key + ": ")
		p.value(obj.Get(key), depth+1)
	}
	p.rest(len(keys))
	p.write("}")
}

// entries formats a Map or a Set, which can only be read by iterating.
func (p *printer) entries(obj *goja.Object, class string, depth int) {
	p.write(class + " {")
	count := 0
	p.r.vm.ForOf(obj, func(item goja.Value) bool {
		if count < maxShownItems {
			p.separate(count)
			p.value(item, depth+1)
		}
		count++
		return count <= maxShownItems && !p.full()
	})
	p.rest(count)
	p.write("}")
}

func (p *printer) separate(i int) {
	if i > 0 {
		p.write(", ")
	}
}

func (p *printer) rest(length int) {
	if length > maxShownItems {
		p.write(", …")
	}
}
