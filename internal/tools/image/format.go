package image

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"github.com/helve-dev/helve/tool"
)

// The readable and writable formats. Pictures in other known formats are recognised so
// that the error can name the format.
const (
	formatPNG  = "png"
	formatJPEG = "jpeg"
	formatGIF  = "gif"
	formatWebP = "webp"
	formatBMP  = "bmp"
)

// maxPixels limits the input and the output picture. A decoded pixel takes up to 8
// bytes, and some decoders need as much again.
const maxPixels = 40_000_000

// maxSide limits width and height.
const maxSide = 20_000

// signatures maps file prefixes to formats; a dot matches any byte.
var signatures = []struct{ head, kind string }{
	{"\x89PNG\r\n\x1a\n", formatPNG},
	{"\xff\xd8\xff", formatJPEG},
	{"GIF87a", formatGIF},
	{"GIF89a", formatGIF},
	{"RIFF....WEBP", formatWebP},
	{"BM....\x00\x00\x00\x00", formatBMP},
	{"II*\x00", "TIFF"},
	{"MM\x00*", "TIFF"},
	{"....ftypavif", "AVIF"},
	{"....ftypheic", "HEIC"},
	{"....ftypheix", "HEIC"},
	{"....ftypmif1", "HEIC"},
	{"%PDF-", "PDF"},
	{"<svg", "SVG"},
	{"<?xml", "SVG"},
}

// kindOf returns the format of data by its first bytes; "" if unknown.
func kindOf(data []byte) string {
	for _, s := range signatures {
		if len(data) < len(s.head) {
			continue
		}
		same := true
		for i := range len(s.head) {
			same = same && (s.head[i] == '.' || s.head[i] == data[i])
		}
		if same {
			return s.kind
		}
	}
	return ""
}

// decoded is a picture in memory.
type decoded struct {
	image.Image

	format string
	turn   orientation
	frames int
}

// maxScans limits the passes over a progressive JPEG: each costs as much as the whole
// picture, however few bytes it has.
const maxScans = 100

// codec reads one format.
type codec struct {
	config func(io.Reader) (image.Config, error)
	read   func(io.Reader) (image.Image, error)
}

// codecOf returns the codec of a readable format.
func codecOf(format string) (codec, bool) {
	switch format {
	case formatPNG:
		return codec{png.DecodeConfig, png.Decode}, true
	case formatJPEG:
		return codec{jpeg.DecodeConfig, jpeg.Decode}, true
	case formatGIF:
		return codec{gif.DecodeConfig, firstFrame}, true
	case formatWebP:
		return codec{webp.DecodeConfig, webp.Decode}, true
	case formatBMP:
		return codec{bmp.DecodeConfig, bmp.Decode}, true
	default:
		return codec{}, false
	}
}

// declared returns the size that a picture declares, without decoding it.
func declared(format string, data []byte) (size, error) {
	c, _ := codecOf(format)
	config, err := c.config(bytes.NewReader(data))
	if err != nil {
		return size{}, damaged(format, err)
	}
	return size{config.Width, config.Height}, bearable(config.Width, config.Height)
}

// decode decodes a picture after its declared size was accepted.
func decode(ctx context.Context, data []byte) (*decoded, error) {
	d := &decoded{format: kindOf(data), turn: upright, frames: 1}
	c, readable := codecOf(d.format)
	switch {
	case d.format == "":
		return nil, tool.Fail(tool.ValidationError, "The source is not an image: its contents are neither PNG, JPEG, GIF, WebP nor BMP.")
	case !readable:
		return nil, tool.Fail(tool.Unsupported, "%s images cannot be read; convert the image to PNG or JPEG first.", d.format)
	}
	if _, err := declared(d.format, data); err != nil {
		return nil, err
	}
	switch d.format {
	case formatJPEG:
		d.turn = orientationOf(data)
		if bytes.Count(data, []byte("\xff\xda")) > maxScans {
			return nil, damaged(d.format, nil)
		}
	case formatGIF:
		d.frames = countFrames(data)
	}
	var err error
	d.Image, err = c.read(&interruptible{ctx, bytes.NewReader(data)})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, damaged(d.format, err)
	}
	return d, nil
}

// interruptible ends a long decoding when the call ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// bearable refuses a picture that would take too much memory.
func bearable(width, height int) error {
	if width > maxSide || height > maxSide || width*height > maxPixels {
		return tool.Fail(tool.FileTooLarge, "The image has %d×%d pixels; at most %d on a side and %d million in all can be worked on.",
			width, height, maxSide, maxPixels/1_000_000)
	}
	if width < 1 || height < 1 {
		return tool.Fail(tool.ExecutionError, "The image is damaged: it has no pixels.")
	}
	return nil
}

func damaged(format string, err error) error {
	return tool.Fail(tool.ExecutionError, "The %s image is damaged or incomplete, or uses a feature that cannot be read; use another file.",
		strings.ToUpper(format)).Because(err)
}

// firstFrame draws the first frame of a GIF on its canvas.
func firstFrame(r io.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	frame, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, c.Width, c.Height))
	draw.Draw(canvas, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	return canvas, nil
}

// encode encodes a picture. Quality applies to JPEG; the other formats are lossless,
// except that a GIF has few colours.
func encode(w io.Writer, pic *image.RGBA, format string, quality int) error {
	switch format {
	case formatJPEG:
		opaque := image.NewRGBA(pic.Bounds())
		draw.Draw(opaque, opaque.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(opaque, opaque.Bounds(), pic, pic.Bounds().Min, draw.Over)
		return jpeg.Encode(w, opaque, &jpeg.Options{Quality: quality})
	case formatWebP:
		straight := image.NewNRGBA(pic.Bounds())
		draw.Draw(straight, straight.Bounds(), pic, pic.Bounds().Min, draw.Src)
		return nativewebp.Encode(w, straight, nil)
	case formatGIF:
		colours := append(color.Palette{color.Transparent}, palette.Plan9[:255]...)
		few := image.NewPaletted(pic.Bounds(), colours)
		draw.FloydSteinberg.Draw(few, few.Bounds(), pic, pic.Bounds().Min)
		return gif.Encode(w, few, nil)
	case formatBMP:
		return bmp.Encode(w, pic)
	default:
		return (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(w, pic)
	}
}

// countFrames counts the frames of a GIF, up to two, without decoding any.
func countFrames(data []byte) int {
	const header, descriptor = 13, 10
	frames, at := 0, header
	if len(data) < header {
		return 0
	}
	at += colourTable(data[10])
	for at < len(data) && frames < 2 {
		switch data[at] {
		case '!': // an extension: its label, then blocks
			at = skipBlocks(data, at+2)
		case ',': // a frame: its descriptor, perhaps colours, the code size, then blocks
			if at+descriptor > len(data) {
				return frames
			}
			frames++
			at = skipBlocks(data, at+descriptor+colourTable(data[at+descriptor-1])+1)
		default:
			return frames
		}
	}
	return frames
}

// colourTable returns the size of the colour table that flags declare.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipBlocks skips a chain of length-prefixed blocks.
func skipBlocks(data []byte, at int) int {
	for at < len(data) && data[at] != 0 {
		at += 1 + int(data[at])
	}
	return at + 1
}
