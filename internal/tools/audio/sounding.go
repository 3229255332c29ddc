package audio

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxSpeech is the size of the largest sound that is stored, in bytes.
const maxSpeech = 25 << 20

// sounding is an answer of a provider whose body is sound, not read yet.
type sounding struct {
	resp               *http.Response
	host, model, voice string
	speed              float64
}

// writable returns the path of the file, and makes its directory, before anything is paid
// for. A chosen name ends in a hash of the call, so that it is free.
func writable(call *tool.Call, named, text, format string) (string, error) {
	if named == "" {
		sum := sha256.Sum256([]byte(call.ID))
		return stem(text) + "-" + hex.EncodeToString(sum[:3]) + "." + format, nil
	}
	if info, err := call.Files.Stat(named); err == nil && info.IsDir() || strings.HasSuffix(named, "/") {
		return "", tool.Fail(tool.ValidationError, "%s is a directory; give the path of a file.", named)
	} else if err != nil && tool.AsError(err).Kind != tool.FileNotFound {
		return "", err
	}
	return named, call.Files.MkdirAll(path.Dir(named))
}

// stem returns the beginning of a file name: the first words of a text.
func stem(text string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	name := textcut.Head(strings.Join(words, "-"), most)
	if name = strings.Trim(name, "-"); name == "" {
		return "speech"
	}
	return name
}

// store writes the sound to the workspace as it arrives. The file is replaced when all has
// arrived, or not at all.
func (s *sounding) store(call *tool.Call, to string) (int64, error) {
	defer func() { _ = s.resp.Body.Close() }() // everything that matters has been read
	const head = 512
	body := bufio.NewReaderSize(s.resp.Body, 64<<10)
	first, err := body.Peek(head)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, lost(err)
	}
	if !isSound(s.resp.Header.Get("Content-Type"), first) {
		return 0, tool.Fail(tool.ExecutionError, "the answer of %s makes no sense: it is not sound", s.host)
	}
	size, err := call.Files.Write(to, &limited{r: body, left: maxSpeech, host: s.host})
	if err != nil {
		return 0, lost(err)
	}
	return size, nil
}

// isSound reports whether an answer may be sound, by its declared type and its beginning. A
// page is never sound, and other text is not unless it is declared so.
func isSound(contentType string, first []byte) bool {
	declared, _, _ := mime.ParseMediaType(contentType)
	sniffed := http.DetectContentType(first)
	switch {
	case len(first) == 0 || strings.HasPrefix(sniffed, "text/html"):
		return false
	case strings.HasPrefix(declared, "audio/"):
		return true
	default:
		return declared != "application/json" && !strings.HasPrefix(declared, "text/") && !strings.HasPrefix(sniffed, "text/")
	}
}

// lost reports that the provider may have charged for a sound that was not stored.
func lost(err error) error {
	e := tool.AsError(err)
	return tool.Fail(e.Kind, "The text was spoken, and may have been charged, but the sound could not be stored: %s", e.Msg).Because(err)
}

// limited fails when more arrives than is stored.
type limited struct {
	r    io.Reader
	left int64
	host string
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, tool.Fail(tool.ExecutionError, "the answer of %s is longer than %d bytes", l.host, maxSpeech)
	}
	return n, err
}

// length returns the length of a stored sound in seconds: of wav and pcm as measured, of
// other formats as estimated.
func length(call *tool.Call, r *textToSpeechResult, text string) float64 {
	const perSecond = 24_000 * 2 // of pcm
	switch r.Format {
	case "pcm":
		return round(float64(r.Size)/perSecond, 3)
	case "wav":
		if s, err := headerOnly(call, r.Path, r.Size); err == nil && s != nil && s.seconds > 0 {
			return round(s.seconds, 3)
		}
	}
	return round(speakingTime(text)/r.Speed, 1)
}
