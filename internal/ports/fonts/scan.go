package fonts

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
)

// face is one font of a file.
type face struct {
	place
	family   string
	ranges   [][2]rune // its characters, sorted
	distance float64   // distance from a plain sans serif face
}

// has reports whether the face has a glyph for a character.
func (c *face) has(character rune) bool {
	_, found := slices.BinarySearchFunc(c.ranges, character, func(r [2]rune, character rune) int {
		switch {
		case character < r[0]:
			return 1
		case character > r[1]:
			return -1
		}
		return 0
	})
	return found
}

// maxFiles limits the number of files examined below one directory.
const maxFiles = 20_000

// scan reads the characters of the fonts below dirs.
func scan(dirs []string) []face {
	var faces []face
	for _, dir := range dirs {
		if below, ok := strings.CutPrefix(dir, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				continue
			}
			dir = filepath.Join(home, below)
		}
		files := 0
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil //nolint:nilerr // what cannot be read has no fonts
			}
			if files++; files > maxFiles {
				return fs.SkipAll
			}
			switch strings.ToLower(filepath.Ext(path)) {
			case ".ttf", ".otf", ".ttc", ".otc":
				faces = append(faces, facesOf(path)...)
			}
			return nil
		})
	}
	return faces
}

// facesOf reads the faces of one file; it returns none for a damaged file.
func facesOf(path string) (faces []face) {
	defer func() {
		if recover() != nil {
			faces = nil
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	loaders, err := opentype.NewLoaders(file)
	if err != nil {
		return nil
	}
	for i, loader := range loaders {
		has := func(table string) bool { return loader.HasTable(opentype.MustNewTag(table)) }
		raw, err := loader.RawTable(opentype.MustNewTag("cmap"))
		if err != nil || !has("glyf") && !has("CFF ") && !has("CFF2") {
			continue
		}
		table, _, err := tables.ParseCmap(raw)
		if err != nil {
			continue
		}
		characters, _, err := font.ProcessCmap(table, tables.FPNone)
		if err != nil {
			continue
		}
		about, _ := font.Describe(loader, nil)
		faces = append(faces, face{place: place{path, i}, family: about.Family, ranges: rangesOf(characters), distance: distance(about)})
	}
	return faces
}

// rangesOf returns the characters of a table in ranges.
func rangesOf(characters font.Cmap) [][2]rune {
	var all []rune
	for each := characters.Iter(); each.Next(); {
		if r, glyph := each.Char(); glyph != 0 {
			all = append(all, r)
		}
	}
	slices.Sort(all)
	var ranges [][2]rune
	for _, r := range all {
		if last := len(ranges) - 1; last >= 0 && r <= ranges[last][1]+1 {
			ranges[last][1] = r
			continue
		}
		ranges = append(ranges, [2]rune{r, r})
	}
	return slices.Clip(ranges)
}

// distance returns the distance of a face from a plain sans serif one.
func distance(about font.Description) float64 {
	d := math.Abs(float64(about.Aspect.Weight)-400) / 100
	if about.Aspect.Style == font.StyleItalic {
		d += 10
	}
	d += 10 * math.Abs(float64(about.Aspect.Stretch)-1)
	for word, far := range map[string]float64{"mono": 5, "serif": 3, "symbol": 3, "ui": 0.5, "display": 0.5} {
		if slices.Contains(strings.Fields(strings.ToLower(about.Family)), word) {
			d += far
		}
	}
	return d
}
