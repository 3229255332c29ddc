package image

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type resizeImageArgs struct {
	Image      string  `json:"image" alias:"path" min:"1" doc:"Image to resize: a path in the workspace, an http(s) URL, a data: URL or base64; PNG, JPEG, GIF, WebP or BMP."`
	Width      float64 `json:"width" min:"1" max:"20000" doc:"Width in pixels; with maintainAspectRatio the most it may have."`
	Height     float64 `json:"height" min:"1" max:"20000" doc:"Height in pixels; with maintainAspectRatio the most it may have."`
	KeepAspect bool    `json:"maintainAspectRatio" default:"true" doc:"true makes the image as large as fits into width×height with its proportions; false stretches it to exactly that."`
	OutputPath string  `json:"outputPath,omitempty" doc:"File to write, relative to the workspace; its extension (png, jpg, webp, gif, bmp) chooses the format. The source's name with _resized by default. A file of that name is replaced."`
	Quality    float64 `json:"quality" min:"1" max:"100" default:"90" doc:"Quality of a JPEG, from 1 to 100; the other formats do not lose detail."`
}

type size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

type resizeImageResult struct {
	Success  bool   `json:"success"`
	Source   string `json:"source"`
	Output   string `json:"output" doc:"The file written, relative to the workspace."`
	Format   string `json:"format" enum:"png,jpeg,webp,gif,bmp"`
	Original size   `json:"originalDimensions"`
	New      size   `json:"newDimensions"`
	FileSize int64  `json:"fileSize" doc:"Size of the file written, in bytes."`
	Quality  int    `json:"quality"`
	Note     string `json:"note,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[resizeImageArgs, *resizeImageResult]{
	Name: "resize_image",
	Description: "Resize an image from the workspace or a URL, keeping its proportions unless told otherwise, write it to the workspace and " +
		"return both sizes and the path.",
	Tags: []string{
		"resize", "scale", "crop", "shrink", "enlarge", "thumbnail", "picture", "photo", "convert image", "png", "jpeg", "webp",
	},
	Risk:       tool.Low,
	Mutates:    true,
	Idempotent: true,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:      tool.NeedFiles | tool.NeedHTTP,
	Errors: []tool.Kind{
		tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NetworkError, tool.Unsupported, tool.ExecutionError,
	},
	Example: `{"image": "picture.png", "width": 160, "height": 160}`,
	Timeout: time.Minute,
	Check: func(_ context.Context, _ *tool.Call, args resizeImageArgs) error {
		_, err := formatOf(args.OutputPath, formatPNG)
		return err
	},
	Changes: func(_ context.Context, _ *tool.Call, args resizeImageArgs) ([]tool.Change, error) {
		return tool.Replaces(args.OutputPath), nil
	},
	Run: resizeImage,
})

func resizeImage(ctx context.Context, call *tool.Call, args resizeImageArgs) (*resizeImageResult, error) {
	src, err := load(ctx, call, args.Image, maxBytes)
	if err != nil {
		return nil, err
	}
	pic, err := decode(ctx, src.data)
	if err != nil {
		return nil, err
	}
	format, err := formatOf(args.OutputPath, pic.format)
	if err != nil {
		return nil, err
	}
	was := size{pic.Bounds().Dx(), pic.Bounds().Dy()}
	if pic.turn.swaps() {
		was = size{was.Height, was.Width}
	}
	will := size{int(args.Width), int(args.Height)} // the schema limits them
	if args.KeepAspect {
		will = fit(was, will)
	}
	if will.Width*will.Height > maxPixels {
		return nil, tool.Fail(tool.ValidationError, "%d×%d pixels are too many; an image may have %d million.",
			will.Width, will.Height, maxPixels/1_000_000)
	}
	quality := int(args.Quality)
	out, err := render(ctx, pic, will, format, quality)
	if err != nil {
		return nil, err
	}
	res := &resizeImageResult{
		Success: true, Source: src.shown, Output: args.OutputPath, Format: format,
		Original: was, New: will, Quality: quality, Note: note(pic, format),
	}
	if res.Output == "" {
		res.Output = resizedName(src.name, format)
	}
	if err := call.Files.MkdirAll(path.Dir(res.Output)); err != nil {
		return nil, err
	}
	res.FileSize, err = call.Files.Write(res.Output, out)
	return res, err
}

// render scales a picture, turns it upright and encodes it.
func render(ctx context.Context, pic *decoded, will size, format string, quality int) (*bytes.Buffer, error) {
	stored := will
	if pic.turn.swaps() {
		stored = size{will.Height, will.Width}
	}
	scaled, err := resample(ctx, pic, stored.Width, stored.Height)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := encode(&out, turned(scaled, pic.turn), format, quality); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "The image could not be written as %s; choose another format by the extension of outputPath.",
			strings.ToUpper(format)).Because(err)
	}
	return &out, ctx.Err()
}

// fit returns the largest size with the same proportions within a box.
func fit(was, box size) size {
	scale := math.Min(float64(box.Width)/float64(was.Width), float64(box.Height)/float64(was.Height))
	side := func(n, most int) int { return min(max(int(math.Round(float64(n)*scale)), 1), most) }
	return size{side(was.Width, box.Width), side(was.Height, box.Height)}
}

// formatOf returns the format for a file name's extension; def if it has none.
func formatOf(name, def string) (string, error) {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case "":
		return def, nil
	case ".png":
		return formatPNG, nil
	case ".jpg", ".jpeg", ".jpe", ".jfif":
		return formatJPEG, nil
	case ".webp":
		return formatWebP, nil
	case ".gif":
		return formatGIF, nil
	case ".bmp":
		return formatBMP, nil
	default:
		return "", tool.Fail(tool.ValidationError, "Images cannot be written as %s; end outputPath in .png, .jpg, .webp, .gif or .bmp.", ext)
	}
}

// resizedName returns the default path of the result: beside the source, with the right
// extension.
func resizedName(name, format string) string {
	ext := path.Ext(name)
	base := strings.TrimSuffix(name, ext)
	if named, err := formatOf(name, ""); err != nil || named != format {
		if err != nil {
			base = name // it only looks like an extension
		}
		ext = "." + strings.Replace(format, formatJPEG, "jpg", 1)
	}
	return base + "_resized" + ext
}

// note returns a note about a result that a person may not expect.
func note(pic *decoded, format string) string {
	var notes []string
	if pic.frames > 1 {
		notes = append(notes, "The GIF is animated; only its first frame was resized.")
	}
	if opaque, ok := pic.Image.(interface{ Opaque() bool }); ok && format == formatJPEG && !opaque.Opaque() {
		notes = append(notes, "JPEG has no transparency; transparent parts became white.")
	}
	return strings.Join(notes, " ")
}

// Present describes the created file.
func (r *resizeImageResult) Present(res *tool.Result) {
	res.Text = fmt.Sprintf("Resized %s from %d×%d to %d×%d, written to %s (%d bytes).",
		r.Source, r.Original.Width, r.Original.Height, r.New.Width, r.New.Height, r.Output, r.FileSize)
	if r.Note != "" {
		res.Text += " " + r.Note
	}
}
