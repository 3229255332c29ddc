package apitools

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mediatype"
	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/tool"
)

const maxSent = 512 << 20 // bytes of a file that is a body

// content makes the body of a call; it is empty if the operation takes none, or none of its
// fields is given.
func (o *offer) content(call *tool.Call, given map[string]json.RawMessage) (*content, error) {
	b := o.op.Body
	if b == nil {
		return &content{reader: http.NoBody}, nil
	}
	raw, fields := given[o.plan.whole], o.fields(given)
	switch media := b.MediaType; {
	case o.plan.whole != "" && len(raw) == 0, o.plan.whole == "" && fields == nil && !b.Required:
		return &content{reader: http.NoBody}, nil
	case apidoc.IsJSON(media):
		if o.plan.whole == "" {
			raw = object(fields)
		}
		return held(raw, media), nil
	case isFielded(media):
		if o.plan.whole != "" {
			if fields = membersOf(raw); fields == nil {
				return nil, tool.Fail(tool.ValidationError, "the parameter '%s' must be an object: the body is a form", o.plan.whole)
			}
		}
		if media == apidoc.Form {
			return form(b, fields), nil
		}
		return newMultiform(call, b, fields)
	case apidoc.IsText(media):
		return held([]byte(plainly(raw)), media), nil
	}
	return stream(call, plainly(raw), b.MediaType)
}

// held returns a body in memory.
func held(text []byte, media string) *content {
	return &content{
		reader: bytes.NewReader(text), media: media, size: int64(len(text)),
		again: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
}

// fields returns the given fields of the body; nil if none is given.
func (o *offer) fields(given map[string]json.RawMessage) []member {
	var list []member
	for _, a := range o.plan.fields {
		if raw, ok := given[a.name]; ok {
			list = append(list, member{a.field, raw})
		}
	}
	taken := map[string]bool{}
	for _, m := range list {
		taken[m.name] = true
	}
	for _, m := range membersOf(given[o.plan.rest]) {
		if !taken[m.name] {
			list = append(list, m)
		}
	}
	return list
}

// object encodes fields as an object, each with its value as it was given.
func object(fields []member) []byte {
	var w bytes.Buffer
	w.WriteByte('{')
	for i, m := range fields {
		if i > 0 {
			w.WriteByte(',')
		}
		name, _ := encoded(m.name) // a string is always encoded
		w.Write(name)
		w.WriteByte(':')
		w.Write(m.value)
	}
	w.WriteByte('}')
	return w.Bytes()
}

// encoding returns the serialization of a field of a form.
func encoding(b *apidoc.Body, field string) apidoc.Encoding {
	if e, ok := b.Fields[field]; ok {
		return e
	}
	return apidoc.Encoding{Style: "form", Explode: true}
}

// form writes fields as application/x-www-form-urlencoded. An object without an encoding
// of its own is written as JSON.
func form(b *apidoc.Body, fields []member) *content {
	var list []pair
	for _, m := range fields {
		e := encoding(b, m.name)
		if _, own := b.Fields[m.name]; !own && membersOf(m.value) != nil {
			list = append(list, pair{name: m.name, values: []string{string(m.value)}})
			continue
		}
		list = append(list, pairs(m.name, m.value, e)...)
	}
	return held([]byte(query(list)), apidoc.Form)
}

// stream returns a file of the workspace as a body. The request closes it.
func stream(call *tool.Call, name, media string) (*content, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := checked(f, name, maxSent)
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	if strings.ContainsRune(media, '*') {
		media = mediatype.ByName(name)
	}
	return &content{reader: f, media: media, size: size}, nil
}

// checked returns the size of a file that is to be sent.
func checked(f fs.File, name string, most int64) (int64, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, tool.Fail(tool.ValidationError, "%s is a directory; name a file", name)
	case info.Size() > most:
		return 0, tool.Fail(tool.FileTooLarge, "%s is larger than %d bytes, which is the most that is sent", name, most)
	}
	return info.Size(), nil
}
