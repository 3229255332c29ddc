package audio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type splitAudioArgs struct {
	Path        string          `json:"path" min:"1" doc:"Audio file to split, relative to the workspace."`
	SplitPoints json.RawMessage `json:"splitPoints" doc:"Where to cut: a number is the length of every segment in seconds (600 for ten minutes); a list holds the points to cut at, in seconds or as mm:ss, such as [30, 95.5]."`
	OutputDir   string          `json:"outputDir,omitempty" doc:"Directory for the segments, made if need be; that of the file by default."`
	Format      string          `json:"format,omitempty" enum:"mp3,wav,ogg" doc:"Format of the segments; that of the file by default, which keeps the sound as it is."`
	Overwrite   bool            `json:"overwrite,omitempty" doc:"Replace files that have the names of the segments; otherwise the call fails if there are any."`
}

type segmentResult struct {
	Path     string  `json:"path"`
	Start    float64 `json:"start" doc:"Where it begins in the source, in seconds."`
	End      float64 `json:"end"`
	Duration float64 `json:"duration"`
	Size     int64   `json:"size" doc:"Size of the file in bytes."`
}

type splitAudioResult struct {
	Source          string          `json:"source"`
	SegmentDuration string          `json:"segmentDuration,omitempty" doc:"Length of the segments, where all but the last have the same."`
	SplitPoints     []float64       `json:"splitPoints" doc:"Where the file was cut, in seconds."`
	OutputDir       string          `json:"outputDir"`
	Format          string          `json:"format"`
	RequiresFFmpeg  bool            `json:"requiresFFmpeg"`
	Note            string          `json:"note"`
	Command         string          `json:"command" doc:"An ffmpeg command that does about the same by hand."`
	Segments        []segmentResult `json:"segments"`
	Total           int             `json:"total"`
	Count           int             `json:"count"`
	Truncated       bool            `json:"truncated"`
}

var _ = tool.Add(Set, tool.Spec[splitAudioArgs, *splitAudioResult]{
	Name: "split_audio",
	Description: "Split an audio file of the workspace into segments, at given points or every so many seconds, and return their paths, " +
		"times and sizes.",
	Tags:    []string{"audio split", "cut", "segment", "sound", "music", "podcast", "chunk", "trim", "divide", "ffmpeg"},
	Risk:    tool.Low,
	Mutates: true,
	// Without overwrite a second run finds the files of the first run.
	Repeats: func(a splitAudioArgs) bool { return a.Overwrite },
	Scopes:  tool.Scopes{Paths: []string{"workspace"}},
	Needs:   tool.NeedFiles | tool.NeedPrograms,
	Errors:  []tool.Kind{tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NotConfigured, tool.ExecutionError},
	Example: `{"path": "tone.wav", "splitPoints": [1, 2], "outputDir": "parts", "overwrite": true}`,
	Timeout: 10 * time.Minute,
	Check: func(_ context.Context, _ *tool.Call, args splitAudioArgs) error {
		_, err := parseCuts(args.SplitPoints)
		return err
	},
	Run: splitAudio,
})

func splitAudio(ctx context.Context, call *tool.Call, args splitAudioArgs) (*splitAudioResult, error) {
	where, err := parseCuts(args.SplitPoints)
	if err != nil {
		return nil, err
	}
	if _, err := inspect(call, args.Path); err != nil {
		return nil, err
	}
	s, err := probe(ctx, call, args.Path)
	if err != nil {
		return nil, err
	}
	if s.seconds == 0 {
		return nil, tool.Fail(tool.ExecutionError, "The file does not say how long it is, so it cannot be split; convert it to MP3 or WAV first.")
	}
	segments, dropped, err := where.segments(s.seconds)
	if err != nil {
		return nil, err
	}
	p := planFor(s.codec, args.Format)
	if err := p.affordable(s); err != nil {
		return nil, err
	}
	out := output{dir: args.OutputDir, overwrite: args.Overwrite, plan: p}
	if out.dir == "" {
		out.dir = path.Dir(path.Clean(args.Path))
	}
	base := path.Base(path.Clean(args.Path))
	out.stem = strings.TrimSuffix(base, path.Ext(base))
	parts, err := out.make(ctx, call, args.Path, segments)
	if err != nil {
		return nil, err
	}
	res := answer(&args, where, &out, parts)
	for _, p := range dropped {
		res.Note += fmt.Sprintf(" There is no cut at %v s, because the file ends less than %v s after it.", p, shortest)
	}
	return res, nil
}

// output is the destination of the segments.
type output struct {
	dir, stem string
	overwrite bool
	plan      plan
}

// name returns the path of the n-th segment, from 0.
func (o *output) name(n int) string {
	return path.Join(o.dir, fmt.Sprintf("%s_%03d.%s", o.stem, n+1, o.plan.format))
}

// make cuts a file and moves the segments to their destination.
func (o *output) make(ctx context.Context, call *tool.Call, source string, segments []segment) ([]segmentResult, error) {
	if err := call.Files.MkdirAll(o.dir); err != nil {
		return nil, err
	}
	for i := range segments {
		_, err := call.Files.Stat(o.name(i))
		switch {
		case err != nil && tool.AsError(err).Kind != tool.FileNotFound:
			return nil, err // such as a name that is too long
		case err == nil && !o.overwrite:
			return nil, tool.Fail(tool.ValidationError, "%s is there already; name another outputDir, or set overwrite to replace it.", o.name(i))
		}
	}
	id := sha256.Sum256([]byte(call.ID))
	c := &cutter{call: call, source: source, dir: path.Join(o.dir, ".split-"+hex.EncodeToString(id[:8])), plan: o.plan}
	if err := c.begin(); err != nil {
		return nil, err
	}
	defer c.clear()
	parts, err := c.run(ctx, segments)
	if err != nil {
		return nil, err
	}
	results := make([]segmentResult, 0, len(parts))
	for i, p := range parts {
		info, err := call.Files.Stat(p.file)
		if err != nil {
			return nil, err
		}
		if err := call.Files.Rename(p.file, o.name(i)); err != nil {
			return nil, err
		}
		results = append(results, segmentResult{
			Path: o.name(i), Start: round(p.start, 3), End: round(p.end, 3), Duration: round(p.end-p.start, 3), Size: info.Size(),
		})
	}
	return results, nil
}

func answer(args *splitAudioArgs, where cuts, o *output, parts []segmentResult) *splitAudioResult {
	res := &splitAudioResult{
		Source: args.Path, SplitPoints: []float64{}, OutputDir: o.dir, Format: o.plan.format, RequiresFFmpeg: true,
		Segments: parts, Total: len(parts), Count: len(parts),
	}
	for _, p := range parts[1:] {
		res.SplitPoints = append(res.SplitPoints, p.Start)
	}
	if where.every > 0 {
		res.SegmentDuration = decimal(where.every) + " seconds"
	}
	switch {
	case o.plan.exact:
		res.Note = "The file was cut at exactly these points."
	case o.plan.copied:
		res.Note = "The sound was copied as it is, so cuts fall on the frame after each point."
	default:
		res.Note = "The sound was converted to " + o.plan.format + ", so cuts fall on the frame after each point."
	}
	res.Command = byHand(args.Path, where, o)
	return res
}

// byHand returns the equivalent command, quoted for a POSIX shell.
func byHand(source string, where cuts, o *output) string {
	at := []string{"-segment_time", decimal(where.every)}
	if where.every == 0 {
		var points []string
		for _, p := range where.points {
			points = append(points, decimal(p))
		}
		at = []string{"-segment_times", strings.Join(points, ",")}
	}
	words := append([]string{"ffmpeg", "-i", quoted("./" + path.Clean(source)), "-f", "segment"}, at...)
	words = append(words, o.plan.codec...)
	pattern := strings.ReplaceAll(path.Join(o.dir, o.stem), "%", "%%") + "_%03d." + o.plan.format
	return strings.Join(append(words, quoted("./"+pattern)), " ")
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Present lists the segments and their paths as text.
func (r *splitAudioResult) Present(res *tool.Result) {
	var w strings.Builder
	fmt.Fprintf(&w, "Split %s into %d segments. %s\n", r.Source, r.Count, r.Note)
	for _, s := range r.Segments {
		fmt.Fprintf(&w, "%s: %v to %v s, %d bytes\n", s.Path, s.Start, s.End, s.Size)
	}
	res.Text = w.String()
}
