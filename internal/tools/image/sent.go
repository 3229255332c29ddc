package image

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/draw"
	"slices"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// sent is a picture as it is sent to a model.
type sent struct {
	data   []byte
	format string
	size   size
}

// forModel returns a picture in one of the formats that a model takes: as it is, or as PNG.
// Of an animation it is the first frame.
func forModel(ctx context.Context, src source, takes ...string) (*sent, error) {
	format := kindOf(src.data)
	if err := supported(format); err != nil {
		return nil, err
	}
	dimensions, err := declared(format, src.data)
	if err != nil {
		return nil, err
	}
	moves := format == formatGIF && countFrames(src.data) > 1
	if slices.Contains(takes, format) && !moves {
		return &sent{src.data, format, dimensions}, nil
	}
	pic, err := decode(ctx, src.data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	straight := turned(rgba(pic.Image), pic.turn)
	if err := encode(&out, straight, formatPNG, 0); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "The image could not be converted to PNG; use another one.").Because(err)
	}
	return &sent{out.Bytes(), formatPNG, size{straight.Bounds().Dx(), straight.Bounds().Dy()}}, nil
}

// supported refuses every format that is not readable, in words that name those that are.
func supported(format string) error {
	if _, readable := codecOf(format); readable {
		return nil
	}
	what := "the contents are not a picture"
	if format != "" {
		what = format + " cannot be read"
	}
	return tool.Fail(tool.ValidationError, "Unsupported image format: %s. supportedFormats: jpg, jpeg, png, gif, webp, bmp.", what)
}

// rgba returns the pixels of a picture.
func rgba(pic image.Image) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, pic.Bounds().Dx(), pic.Bounds().Dy()))
	draw.Draw(out, out.Bounds(), pic, pic.Bounds().Min, draw.Src)
	return out
}

// dataURL returns the picture as a data: URL (RFC 2397).
func (s *sent) dataURL() string {
	return "data:image/" + s.format + ";base64," + base64.StdEncoding.EncodeToString(s.data)
}

// file returns the picture as a file of a form. The name says nothing about its owner.
func (s *sent) file(field string) outward.File {
	return outward.File{
		Field: field,
		Name:  field + "." + s.format,
		Type:  "image/" + s.format,
		Size:  int64(len(s.data)),
		Data:  bytes.NewReader(s.data),
	}
}
