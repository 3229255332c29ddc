package audio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// maxRecording is the size of the largest recording that is sent, in bytes: the limit of
// OpenAI's API.
const maxRecording = 25 << 20

// recording is speech that is sent to a model.
type recording struct {
	// shown is its path or address, and kind is file or url.
	shown, kind string
	// format is one of those in spoken.
	format string
	size   int64
	// seconds is its length, if that is known without a program; otherwise 0.
	seconds float64
	data    io.ReadCloser
}

// record opens the recording at ref: a path of the workspace, or an http(s) address. The
// caller closes its data. Nothing is sent yet.
func record(ctx context.Context, call *tool.Call, ref string) (*recording, error) {
	scheme, _, _ := strings.Cut(ref, ":")
	if s := strings.ToLower(scheme); s == "http" || s == "https" {
		return download(ctx, call.HTTP, ref)
	}
	info, err := inspect(call, ref)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, tool.Fail(tool.ValidationError, "%s is a directory; give the path of an audio file.", ref)
	}
	r := &recording{shown: ref, kind: "file", size: info.Size()}
	if err := r.bounded(); err != nil {
		return nil, err
	}
	if s, err := headerOnly(call, ref, r.size); err == nil && s != nil {
		r.seconds = s.seconds
	}
	f, err := call.Files.Open(ref)
	if err != nil {
		return nil, err
	}
	r.data = f
	return r.opened(extension(ref), "")
}

// download requests a recording. Its body is passed on as it arrives if the server declares
// its length, and is read into memory otherwise, because a request must declare its own.
func download(ctx context.Context, client tool.HTTP, address string) (*recording, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.User != nil {
		return nil, tool.Fail(tool.ValidationError,
			"The recording's address is not a URL without a user name; give a full one that begins with https://.").Because(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError,
			"The recording's address is not a URL; give a full one that begins with https://.").Because(err)
	}
	req.Header.Set("User-Agent", "Helve")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	r := &recording{shown: address, kind: "url", size: resp.ContentLength, data: resp.Body}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // nothing of it is used
		return nil, tool.Fail(tool.NetworkError, "The recording could not be fetched: the server answered %d; check the address.",
			resp.StatusCode)
	}
	if err := r.bounded(); err != nil {
		_ = resp.Body.Close() // nothing of it is used
		return nil, err
	}
	if r.size < 0 {
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxRecording+1))
		_ = resp.Body.Close() // everything that matters has been read
		if err != nil {
			return nil, err
		}
		r.size, r.data = int64(len(data)), io.NopCloser(bytes.NewReader(data))
		if err := r.bounded(); err != nil {
			return nil, err
		}
	}
	return r.opened(extension(u.Path), resp.Header.Get("Content-Type"))
}

// bounded refuses a recording that is too large, or empty.
func (r *recording) bounded() error {
	switch {
	case r.size > maxRecording:
		return tool.Fail(tool.FileTooLarge,
			"The recording has %d bytes; at most %d (25 MB) can be sent. Split the audio into smaller segments with split_audio.",
			r.size, maxRecording)
	case r.size == 0:
		return tool.Fail(tool.ValidationError, "The recording is empty.")
	}
	return nil
}

// opened finds the format of a recording: by its name, its declared type, or its first
// bytes. A web page in its place is refused; otherwise the model decides whether it can
// read the contents.
func (r *recording) opened(ext, declared string) (*recording, error) {
	const head = 512
	first := make([]byte, head)
	n, err := io.ReadFull(r.data, first)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		_ = r.data.Close() // it was only read
		return nil, err
	}
	first = first[:n]
	r.data = rest{io.MultiReader(bytes.NewReader(first), r.data), r.data}
	media, _, _ := mime.ParseMediaType(declared)
	sniffed := http.DetectContentType(first)
	for _, format := range []string{ext, formats[media], magic(first)} {
		if slices.Contains(spoken, format) && !(r.kind == "url" && (media == "text/html" || strings.HasPrefix(sniffed, "text/html"))) {
			r.format = format
			return r, nil
		}
	}
	_ = r.data.Close() // it was only read
	return nil, tool.Fail(tool.ValidationError, "Unsupported audio format of %s. supportedFormats: %s.", r.shown, strings.Join(spoken, ", "))
}

// rest is a body whose beginning was read.
type rest struct {
	io.Reader
	io.Closer
}

// formats maps the types that servers declare to formats.
var formats = map[string]string{
	"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mp4": "m4a", "audio/x-m4a": "m4a", "audio/m4a": "m4a", "video/mp4": "mp4",
	"video/mpeg": "mpeg",
	"audio/wav":  "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/vnd.wave": "wav", "audio/webm": "webm", "video/webm": "webm",
	"audio/ogg": "ogg", "application/ogg": "ogg", "audio/flac": "flac", "audio/x-flac": "flac",
}

// magic returns the format of a file by its first bytes; "" if unknown.
func magic(first []byte) string {
	at := func(from int, text string) bool {
		return len(first) > from && bytes.HasPrefix(first[from:], []byte(text))
	}
	switch {
	case at(0, "RIFF") && at(8, "WAVE"):
		return "wav"
	case at(0, "ID3"), len(first) > 1 && first[0] == 0xff && first[1]&0xe6 == 0xe2: // layer III
		return "mp3"
	case at(0, "OggS"):
		return "ogg"
	case at(0, "fLaC"):
		return "flac"
	case at(4, "ftypM4A"):
		return "m4a"
	case at(4, "ftyp"):
		return "mp4"
	case at(0, "\x1aE\xdf\xa3"):
		return "webm"
	default:
		return ""
	}
}

func extension(name string) string {
	return strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
}

// file returns the recording as a file of a form. The name says nothing about its owner;
// models read the format from it.
func (r *recording) file() outward.File {
	return outward.File{Name: "audio." + r.format, Type: "audio/" + r.format, Size: r.size, Data: r.data}
}
