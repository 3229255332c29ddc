package image

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// oriented inserts an Exif part with orientation o into a JPEG.
func oriented(jpg string, o uint16, order binary.AppendByteOrder) string {
	mark := "MM"
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		mark = "II"
	}
	tiff := order.AppendUint16([]byte(mark), 42)
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, tag := range []uint16{0x010f, 0x0112} {
		tiff = order.AppendUint16(tiff, tag)
		tiff = order.AppendUint16(tiff, 3)
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, o)
		tiff = order.AppendUint16(tiff, 0)
	}
	part := "Exif\x00\x00" + string(tiff)
	length := binary.BigEndian.AppendUint16(nil, uint16(len(part)+2))
	return jpg[:2] + "\xff\xe1" + string(length) + part + jpg[2:]
}

// The green corner of the stored picture must end up at the place that Exif requires.
func TestResizeImageOrientation(t *testing.T) {
	jpg := encoded(t, halves(80, 40), formatJPEG)
	contents := map[string]string{}
	var cases []tooltest.Case
	files := disk(t, nil)
	for o, corner := range map[uint16]image.Point{
		1: {2, 2}, 2: {37, 2}, 3: {37, 17}, 4: {2, 17}, 5: {2, 2}, 6: {17, 2}, 7: {17, 37}, 8: {2, 37}, 0: {2, 2}, 9: {2, 2},
	} {
		name := fmt.Sprintf("o%d.jpg", o)
		order := binary.AppendByteOrder(binary.BigEndian)
		if o%2 == 0 {
			order = binary.LittleEndian
		}
		contents[name] = oriented(jpg, o, order)
		want := `"originalDimensions":{"width":80,"height":40},"newDimensions":{"width":40,"height":20}`
		if 5 <= o && o <= 8 {
			want = `"originalDimensions":{"width":40,"height":80},"newDimensions":{"width":20,"height":40}`
		}
		cases = append(cases,
			tooltest.Case{Name: name, Args: fmt.Sprintf(`{"image":%q,"width":40,"height":40}`, name), Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), want) {
					t.Errorf("result %s, want it to hold %s", res.Value, want)
				}
				pic, _ := picture(t, files, strings.Replace(name, ".jpg", "_resized.jpg", 1))
				wantColour(t, pic, corner.X, corner.Y, color.RGBA{G: 255, A: 255})
			}})
	}
	for name, data := range contents {
		if _, err := files.Write(name, strings.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	tooltest.Run(t, Set, "resize_image", tool.Call{Files: files, HTTP: tooltest.Doer(nil)}, cases)
}

func FuzzHeaders(f *testing.F) {
	f.Add([]byte(oriented("\xff\xd8\xff\xd9", 6, binary.BigEndian)))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\xf7\x00\x00!\xf9\x04\x00\x00\x00\x00\x00,"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if o := orientationOf(data); o < upright || o > last {
			t.Errorf("orientation %d", o)
		}
		if n := countFrames(data); n < 0 || n > 2 {
			t.Errorf("%d frames", n)
		}
		kindOf(data)
	})
}
