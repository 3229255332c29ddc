package audio

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// bench is a workspace on disk with the real programs in it.
type bench struct {
	call tool.Call
	dir  string
}

// newBench returns a bench. Programs are searched in path, or in the test's own PATH if
// path is empty.
func newBench(t *testing.T, path string) *bench {
	t.Helper()
	data := t.TempDir()
	dir := filepath.Join(data, "workspaces", "t", "u")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.For("t", "u")
	if err != nil {
		t.Fatal(err)
	}
	run, err := programs.New(programs.Options{
		Launcher: programstest.Launcher(t),
		Dir:      func(string, string) (string, error) { return dir, nil },
		Path:     path,
	}).For("t", "u")
	if err != nil {
		t.Fatal(err)
	}
	return &bench{call: tool.Call{Tenant: "t", User: "u", Files: files, Programs: run}, dir: dir}
}

// needFFmpeg skips a test if the programs are not installed.
func needFFmpeg(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %s is not installed, so nothing here was tested; install the package ffmpeg", name)
		}
	}
}

func (b *bench) write(t *testing.T, name, data string) {
	t.Helper()
	full := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// convert creates a file from another one with ffmpeg.
func (b *bench) convert(t *testing.T, from, to string, args ...string) {
	t.Helper()
	all := append(append([]string{"-nostdin", "-v", "error", "-i", filepath.Join(b.dir, from)}, args...), filepath.Join(b.dir, to))
	if out, err := exec.Command("ffmpeg", all...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
}

// rate is the sample rate of the tones.
const rate = 8000

// tone returns a WAV file of a sine wave, 16 bits, one channel.
func tone(seconds float64) string {
	samples := int(seconds * rate)
	data := make([]byte, 0, 2*samples)
	for i := range samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(8000*math.Sin(2*math.Pi*440*float64(i)/rate))))
	}
	return wav(1, 16, data)
}

// wav puts a header before samples.
func wav(tag, bits uint16, data []byte) string {
	le := binary.LittleEndian
	head := append([]byte("RIFF"), 0, 0, 0, 0)
	le.PutUint32(head[4:], uint32(36+len(data)))
	head = append(head, "WAVEfmt "...)
	head = le.AppendUint32(head, 16)
	head = le.AppendUint16(head, tag)
	head = le.AppendUint16(head, 1)
	head = le.AppendUint32(head, rate)
	head = le.AppendUint32(head, rate*uint32(bits)/8)
	head = le.AppendUint16(head, bits/8)
	head = le.AppendUint16(head, bits)
	head = append(head, "data"...)
	head = le.AppendUint32(head, uint32(len(data)))
	return string(head) + string(data)
}

// odd lists names that a program or a shell could misread.
var odd = []string{
	"a b.wav", "-i.wav", "--version", "new\nline.wav", `quo'te"s.wav`, "100%d.wav", "http:x.wav", "pipe:0", "concat:a|b.wav", "ünï ж.wav",
	"$(id).wav", "a;b&c.wav", "[x]*?.wav", "sub dir/-x.wav",
}

// traps lists files that would lead a careless reader to other files or hosts.
func traps(dir string) map[string]string {
	secret := filepath.Join(filepath.Dir(dir), "secret.wav")
	return map[string]string{
		"list.m3u8":  "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile://" + secret + "\n#EXT-X-ENDLIST\n",
		"hls.mp3":    "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nhttp://127.0.0.1:9/x.ts\n#EXT-X-ENDLIST\n",
		"concat.wav": "ffconcat version 1.0\nfile '" + secret + "'\n",
		"near.wav":   "ffconcat version 1.0\nfile 'tone.wav'\n",
		"dash.mp4": `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>` +
			secret + `</BaseURL></Representation></AdaptationSet></Period></MPD>`,
		"x.sdp":     "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n",
		"text.wav":  strings.Repeat("hello ", 1000),
		"empty.mp3": "",
		"picture":   "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde",
	}
}
