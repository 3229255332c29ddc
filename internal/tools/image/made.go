package image

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxMade is the most pictures that one call makes.
const maxMade = 4

// madeFile is a picture that a provider made.
type madeFile struct {
	Path   string `json:"path"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Size   int64  `json:"size" doc:"Size of the file, in bytes."`
}

// batch is an answer of a provider.
type batch struct {
	model    string
	size     string // the size that it was asked for, if not the caller's
	pictures []drawn
}

// drawn is a picture of an answer.
type drawn struct {
	load    func(context.Context) ([]byte, error)
	revised string
}

// output writes the pictures of a call to the workspace.
type output struct {
	call *tool.Call
	// named is the path that the caller chose for the first picture; empty if there is none.
	named string
	// stem is the path of the others, without number and extension.
	stem string
	// format is the format that the caller's path demands; empty if it demands none.
	format string

	files   []madeFile
	model   string
	revised string
}

// newOutput checks the path of the caller, and makes its directory, before anything is paid
// for. Without a path the names begin with the stem.
func newOutput(call *tool.Call, named, stem string) (*output, error) {
	o := &output{call: call, named: named, stem: stem}
	if named != "" {
		var err error
		if o.format, err = formatOf(named, ""); err != nil {
			return nil, err
		}
		o.stem = strings.TrimSuffix(named, path.Ext(named))
		if info, err := call.Files.Stat(named); err == nil && info.IsDir() || strings.HasSuffix(named, "/") {
			return nil, tool.Fail(tool.ValidationError, "%s is a directory; give the path of a file.", named)
		} else if err != nil && tool.AsError(err).Kind != tool.FileNotFound {
			return nil, err
		}
	}
	return o, call.Files.MkdirAll(path.Dir(o.stem))
}

// fill writes n pictures, for which ask sends one request or several. Each is written as
// soon as it has arrived, because it is paid for: if any was stored, the call succeeds, and
// a failure is a note.
func (o *output) fill(ctx context.Context, n int, ask func(ctx context.Context, left int) (*batch, error)) error {
	var failed error
	for left := n; left > 0; {
		b, err := ask(ctx, left)
		if err != nil {
			failed = err
			break
		}
		if b.size != "" && left == n {
			o.call.Note("The model %s has other sizes; it was asked for %s. resize_image makes another size of a picture.", b.model, b.size)
		}
		o.model = b.model
		for _, p := range b.pictures[:min(left, len(b.pictures))] {
			if err := o.keep(ctx, p); err != nil {
				failed = tool.Fail(tool.AsError(err).Kind, "A picture was made, and may have been charged, but it could not be stored: %s",
					tool.AsError(err).Msg).Because(err)
			}
		}
		left -= len(b.pictures)
	}
	if failed == nil || len(o.files) == 0 {
		return failed
	}
	o.call.Note("%d of %d pictures were stored. %s", len(o.files), n, tool.AsError(failed).Msg)
	return nil
}

// keep stores one picture.
func (o *output) keep(ctx context.Context, p drawn) error {
	data, err := p.load(ctx)
	if err != nil {
		return err
	}
	format := kindOf(data)
	if _, readable := codecOf(format); !readable {
		return tool.Fail(tool.ExecutionError, "what the provider returned is not a picture")
	}
	dimensions, err := declared(format, data)
	if err != nil {
		return tool.Fail(tool.ExecutionError, "the provider returned a picture that cannot be used: %s", tool.AsError(err).Msg).Because(err)
	}
	if o.format != "" && o.format != format {
		if other, err := converted(ctx, data, o.format); err == nil {
			data, format = other, o.format
		} else {
			o.call.Note("The picture could not be converted to %s; it is stored as %s.", o.format, format)
		}
	}
	name, err := o.write(format, data)
	if err != nil {
		return err
	}
	o.files = append(o.files, madeFile{Path: name, Width: dimensions.Width, Height: dimensions.Height, Size: int64(len(data))})
	if o.revised == "" {
		o.revised = p.revised
	}
	return nil
}

// converted returns a picture in another format.
func converted(ctx context.Context, data []byte, format string) ([]byte, error) {
	const quality = 90
	pic, err := decode(ctx, data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = encode(&out, rgba(pic.Image), format, quality)
	return out.Bytes(), err
}

// write stores a picture at the caller's path, where a file is replaced, or else under the
// next free name.
func (o *output) write(format string, data []byte) (string, error) {
	const mode, tries = 0o644, 1000
	if len(o.files) == 0 && o.named != "" && (o.format == "" || o.format == format) {
		_, err := o.call.Files.Write(o.named, bytes.NewReader(data))
		return o.named, err
	}
	ext := path.Ext(o.named)
	if o.format == "" || o.format != format {
		ext = "." + strings.Replace(format, formatJPEG, "jpg", 1)
	}
	var err error
	for number := len(o.files) + 1; number < tries; number++ {
		name := o.stem
		if number > 1 {
			name += "_" + strconv.Itoa(number)
		}
		name += ext
		if _, err = o.call.Files.Create(name, mode, bytes.NewReader(data)); err == nil {
			return name, nil
		}
		if _, missing := o.call.Files.Lstat(name); missing != nil {
			return "", err // something else than a file of that name
		}
	}
	return "", err
}

// stemOf returns a file name for a text: its first words.
func stemOf(text string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	stem := ""
	for _, word := range words {
		if len(stem)+len(word) > most {
			break
		}
		stem += "-" + word
	}
	if stem == "" && len(words) > 0 {
		stem = "-" + textcut.Head(words[0], most) // a script without blanks
	}
	return cmp.Or(strings.TrimPrefix(stem, "-"), "image")
}

// beside returns the stem of a name beside a source's.
func (s source) beside(suffix string) string {
	return strings.TrimSuffix(s.name, path.Ext(s.name)) + suffix
}

// present lists the pictures as text.
func present(files []madeFile) string {
	lines := make([]string, len(files))
	for i, f := range files {
		lines[i] = fmt.Sprintf("Wrote %s (%d×%d, %d bytes).", f.Path, f.Width, f.Height, f.Size)
	}
	return strings.Join(lines, "\n")
}

// count returns the number of pictures that a caller asks for, within the bounds.
func count(n float64) int { return int(min(max(n, 1), maxMade)) }
