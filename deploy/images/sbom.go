package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// document is a list of modules in SPDX 2.3.
type document struct {
	Version     string         `json:"spdxVersion"`
	License     string         `json:"dataLicense"`
	ID          string         `json:"SPDXID"`
	Name        string         `json:"name"`
	Namespace   string         `json:"documentNamespace"`
	Creation    creation       `json:"creationInfo"`
	Packages    []spdxPackage  `json:"packages"`
	Relations   []relationship `json:"relationships"`
	Description []string       `json:"documentDescribes"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	Name      string     `json:"name"`
	ID        string     `json:"SPDXID"`
	Version   string     `json:"versionInfo"`
	Location  string     `json:"downloadLocation"`
	Analyzed  bool       `json:"filesAnalyzed"`
	Concluded string     `json:"licenseConcluded"`
	Declared  string     `json:"licenseDeclared"`
	Copyright string     `json:"copyrightText"`
	Refs      []external `json:"externalRefs"`
}

type external struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	unknownValue = "NOASSERTION"
	documentID   = "SPDXRef-DOCUMENT"
)

// modulesOf lists the modules that the programs of an image were linked from, as the
// programs themselves record them.
func modulesOf(s *source, bin, image string, commands []string) ([]byte, error) {
	main := packageOf("github.com/helve-dev/helve", s.version)
	main.Declared = "Apache-2.0"
	all := map[string]spdxPackage{}
	for _, c := range commands {
		info, err := buildinfo.ReadFile(filepath.Join(bin, c))
		if err != nil {
			return nil, err
		}
		std := packageOf("stdlib", strings.TrimPrefix(info.GoVersion, "go"))
		all[std.ID] = std
		for _, dep := range info.Deps {
			if dep.Replace != nil {
				dep = dep.Replace
			}
			p := packageOf(dep.Path, dep.Version)
			all[p.ID] = p
		}
	}
	doc := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: documentID, Name: "helve " + image,
		Namespace:   fmt.Sprintf("https://github.com/helve-dev/helve/spdx/%s/%s", image, cmp.Or(s.revision, s.version)),
		Creation:    creation{s.time.UTC().Format(time.RFC3339), []string{"Tool: helve-images"}},
		Packages:    []spdxPackage{main},
		Relations:   []relationship{{documentID, "DESCRIBES", main.ID}},
		Description: []string{main.ID},
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		doc.Packages = append(doc.Packages, all[id])
		doc.Relations = append(doc.Relations, relationship{main.ID, "DEPENDS_ON", id})
	}
	return json.MarshalIndent(doc, "", " ")
}

func packageOf(path, version string) spdxPackage {
	sum := sha256.Sum256([]byte(path + "@" + version))
	return spdxPackage{
		Name: path, ID: fmt.Sprintf("SPDXRef-Package-%x", sum[:8]), Version: version, Location: unknownValue,
		Concluded: unknownValue, Declared: unknownValue, Copyright: unknownValue,
		Refs: []external{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}},
	}
}
