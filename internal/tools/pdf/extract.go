package pdf

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/pdftext"
	"github.com/helve-dev/helve/tool"
)

// maxText limits the text that one call returns, in bytes.
const maxText = 1 << 20

// maxOutput limits a program's output about a document, in bytes.
const maxOutput = 256 << 20

// collector picks the chosen pages from the output of pdftotext, which ends each page
// with a form feed. It keeps up to maxText bytes.
type collector struct {
	chosen []span
	page   int // the current page
	kept   int
	now    bytes.Buffer
	text   pdftext.Text
}

// take processes a piece of the output.
func (c *collector) take(piece []byte) {
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\f')
		part := piece
		if end >= 0 {
			part = piece[:end]
		}
		if contains(c.chosen, c.page) {
			fits := min(len(part), maxText-c.kept)
			c.now.Write(part[:fits])
			c.kept += fits
			c.text.Cut = c.text.Cut || fits < len(part)
		}
		if end < 0 {
			return
		}
		c.endPage()
		piece = piece[end+1:]
	}
}

func (c *collector) endPage() {
	if text := strings.TrimRight(strings.ToValidUTF8(c.now.String(), ""), " \n"); strings.TrimSpace(text) != "" {
		c.text.Pages = append(c.text.Pages, strings.TrimLeft(text, "\n"))
		c.text.Numbers = append(c.text.Numbers, c.page)
		c.kept = min(c.kept+2, maxText) // for the separators between the pages
	}
	c.now.Reset()
	c.page++
}

// popplerText runs pdftotext for the chosen pages, with or without the layout of the
// page.
func popplerText(ctx context.Context, call *tool.Call, name string, chosen []span, layout bool) (*pdftext.Text, error) {
	first, final := chosen[0].from, chosen[len(chosen)-1].to
	args := []string{"-q", "-enc", "UTF-8", "-eol", "unix", "-f", strconv.Itoa(first), "-l", strconv.Itoa(final)}
	if layout {
		args = append(args, "-layout")
	}
	c := &collector{chosen: chosen, page: first}
	ran, err := poppler(ctx, call, tool.Program{Name: "pdftotext", MaxOutput: 4096, MaxTotal: maxOutput, Output: c.take},
		append(args, argument(name), "-")...)
	if err != nil {
		return nil, err
	}
	c.endPage()
	c.text.Cut = c.text.Cut || ran.Flooded
	return &c.text, nil
}

// picture is an image in a document.
type picture struct {
	Page   int    `json:"page"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Format string `json:"format,omitempty"`
}

// maxPictures limits the number of listed images.
const maxPictures = 500

// popplerPictures lists the images with pdfimages, and counts them.
func popplerPictures(ctx context.Context, call *tool.Call, name string, chosen []span) ([]picture, int, error) {
	first, final := chosen[0].from, chosen[len(chosen)-1].to
	ran, err := poppler(ctx, call, tool.Program{Name: "pdfimages", MaxOutput: 8 << 20}, "-list", "-f", strconv.Itoa(first), "-l",
		strconv.Itoa(final), argument(name))
	if err != nil {
		return nil, 0, err
	}
	list, total := parsePictures(string(ran.Stdout), chosen)
	return list, total, nil
}

// parsePictures parses the table of pdfimages -list: page, number, type, width, height,
// colour, components, bits, encoding, and more.
func parsePictures(text string, chosen []span) (list []picture, total int) {
	list = []picture{}
	for line := range strings.Lines(text) {
		columns := strings.Fields(line)
		if len(columns) < 9 || columns[2] != "image" {
			continue // the heading, or a mask of an image
		}
		page, err := strconv.Atoi(columns[0])
		if err != nil || !contains(chosen, page) {
			continue
		}
		total++
		if len(list) < maxPictures {
			width, _ := strconv.Atoi(columns[3]) // in the notation of pdfimages
			height, _ := strconv.Atoi(columns[4])
			list = append(list, picture{Page: page, Width: width, Height: height, Format: columns[8]})
		}
	}
	return list, total
}
