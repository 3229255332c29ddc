package audio

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// cutter makes the segments of one file in a directory of its own.
type cutter struct {
	call   *tool.Call
	source string
	dir    string // the working directory
	plan   plan
}

// part is a segment as a file in the working directory.
type part struct {
	segment

	file string
}

// run makes all segments.
func (c *cutter) run(ctx context.Context, all []segment) ([]part, error) {
	if c.plan.exact {
		return c.oneByOne(ctx, all)
	}
	return c.atOnce(ctx, all)
}

// oneByOne cuts at the exact sample, for sources that can be read from any point.
func (c *cutter) oneByOne(ctx context.Context, all []segment) ([]part, error) {
	var parts []part
	for i, s := range all {
		name := path.Join(c.dir, fmt.Sprintf("part%04d.%s", i, c.plan.format))
		args := slices.Concat(
			[]string{"-ss", decimal(s.start)}, input(c.source), []string{"-t", decimal(s.end - s.start)},
			c.output(), []string{"-f", c.plan.muxer, argument(name)},
		)
		if err := c.ffmpeg(ctx, args); err != nil {
			return nil, err
		}
		parts = append(parts, part{s, name})
		c.call.Progress(map[string]int{"done": i + 1, "total": len(all)})
	}
	return parts, nil
}

// atOnce reads the source once and begins a new file at the first frame after each
// point, so that no frame is lost or doubled. It reads the real starts of the files
// from the list that ffmpeg writes.
func (c *cutter) atOnce(ctx context.Context, all []segment) ([]part, error) {
	var times []string
	for _, s := range all[1:] {
		times = append(times, decimal(s.start))
	}
	list := path.Join(c.dir, "list.csv")
	muxer := []string{
		"-f", "segment", "-segment_format", c.plan.muxer, "-segment_list", argument(list), "-segment_list_type", "csv",
		"-reset_timestamps", "1", "-segment_times",
	}
	if len(times) == 0 {
		times = []string{decimal(all[0].end + 1e6)} // no cut: the muxer requires one nevertheless
	}
	pattern := strings.ReplaceAll(c.dir, "%", "%%") + "/part%04d." + c.plan.format
	args := slices.Concat(input(c.source), c.output(), muxer, []string{strings.Join(times, ","), argument(pattern)})
	if err := c.ffmpeg(ctx, args); err != nil {
		return nil, err
	}
	f, err := c.call.Files.Open(list)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readList(f, c.dir)
}

// readList reads the list of segments: name, start and end of each.
func readList(r io.Reader, dir string) ([]part, error) {
	rows, err := csv.NewReader(io.LimitReader(r, 1<<20)).ReadAll()
	if err != nil {
		return nil, unusable(err)
	}
	var parts []part
	for _, row := range rows {
		if len(row) != 3 {
			return nil, unusable(nil)
		}
		start, err1 := strconv.ParseFloat(row[1], 64)
		end, err2 := strconv.ParseFloat(row[2], 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, unusable(err)
		}
		parts = append(parts, part{segment{max(start, 0), end}, path.Join(dir, path.Base(row[0]))})
	}
	if len(parts) == 0 {
		return nil, unusable(nil)
	}
	return parts, nil
}

// output returns the arguments that select what is written: only the first audio
// stream.
func (c *cutter) output() []string {
	return append([]string{"-map", "0:a:0", "-vn", "-sn", "-dn", "-map_chapters", "-1"}, c.plan.codec...)
}

func (c *cutter) ffmpeg(ctx context.Context, args []string) error {
	ran, err := c.call.Programs.Run(ctx, tool.Program{
		Name: "ffmpeg", Args: append([]string{"-nostdin", "-hide_banner", "-v", "error", "-n"}, args...), MaxOutput: 64 << 10,
	})
	switch {
	case err != nil:
		return err
	case ran.Code != 0:
		return unusable(errors.New(string(ran.Stderr)))
	}
	return nil
}

// unusable returns the error for a failure of ffmpeg. The program's own message
// contains paths, so it goes only to the operator's log.
func unusable(cause error) error {
	return tool.Fail(tool.ExecutionError,
		"The file could not be split: its sound is damaged or cannot be written in this format; try another format.").Because(cause)
}

// begin creates an empty working directory. Its name is unique to the call, so anything
// in it is left from an attempt that died.
func (c *cutter) begin() error {
	c.clear()
	return c.call.Files.MkdirAll(c.dir)
}

// clear removes the working directory. Files that cannot be removed are hidden from
// listings that omit dotted names, and the next attempt tries again.
func (c *cutter) clear() {
	_ = c.call.Files.Discard(context.Background(), c.dir)
}

func decimal(v float64) string { return strconv.FormatFloat(round(v, 6), 'f', -1, 64) }
