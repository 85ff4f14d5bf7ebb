package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// Licence is under what terms code of a corpus may be used, as far as its files
// say.
type Licence struct {
	// Of is the package, or the folder, that it is for.
	Of string `json:"of"`
	// Version is the package's.
	Version string `json:"version,omitempty"`
	// Terms are what the package's metadata say, or else the first line of the
	// licence's text.
	Terms string `json:"terms,omitempty"`
	// Texts are the whole texts, by file name.
	Texts map[string]string `json:"-"`
}

// licenceFile reports whether a file's name says that it holds a licence.
func licenceFile(name string) bool {
	stem := strings.ToUpper(strings.TrimSuffix(name, filepath.Ext(name)))
	for _, s := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"} {
		if stem == s || strings.HasPrefix(stem, s+"-") || strings.HasPrefix(stem, s+".") || strings.HasPrefix(stem, s+"_") {
			return true
		}
	}
	return false
}

// licences finds the licences of the code below a folder: the texts in it, or in
// the nearest folder above that has some, and what the metadata of installed
// packages beside it say about them. Top are the top-level packages or modules
// that code was taken from.
func licences(dir string, roots, top []string) []Licence {
	var all []Licence
	for _, root := range roots {
		for _, name := range top {
			if l, ok := installedLicence(root, name); ok {
				all = append(all, l)
			}
		}
	}
	folder := dir
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		folder = filepath.Dir(dir)
	}
	// A package's own folder, the repository that holds it, and no further.
	for range 3 {
		if texts := licenceTexts(folder); len(texts) > 0 {
			all = append(all, Licence{Of: filepath.Base(folder), Terms: firstTerms(texts), Texts: texts})
			break
		}
		folder = filepath.Dir(folder)
	}
	return distinct(all)
}

// licenceTexts reads the licences that lie in a folder.
func licenceTexts(folder string) map[string]string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // nothing is known then
	}
	texts := map[string]string{}
	for _, e := range entries {
		if !licenceFile(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if text, err := regularfile.ReadFile(filepath.Join(folder, e.Name())); err == nil && len(text) < 200_000 {
			texts[e.Name()] = string(bytes.ToValidUTF8(text, []byte("?")))
		}
	}
	return texts
}

// firstTerms is the first line with words of the first text.
func firstTerms(texts map[string]string) string {
	var names []string
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for line := range strings.Lines(texts[names[0]]) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// installedLicence reads what the metadata of the distribution that installed a
// top-level package say (core metadata, PEP 566 and 639).
func installedLicence(root, name string) (Licence, bool) {
	infos, err := filepath.Glob(filepath.Join(root, "*.dist-info"))
	if err != nil {
		return Licence{}, false
	}
	for _, info := range infos {
		if !installs(info, name) {
			continue
		}
		l := Licence{Of: name, Texts: licenceTexts(info)}
		for file, text := range licenceTexts(filepath.Join(info, "licenses")) {
			if l.Texts == nil {
				l.Texts = map[string]string{}
			}
			l.Texts[file] = text
		}
		readMetadata(filepath.Join(info, "METADATA"), &l)
		if l.Terms == "" && len(l.Texts) > 0 {
			l.Terms = firstTerms(l.Texts)
		}
		return l, true
	}
	return Licence{}, false
}

// installs reports whether a distribution has installed a top-level package.
func installs(info, name string) bool {
	record, err := regularfile.ReadFile(filepath.Join(info, "RECORD"))
	if err != nil {
		return false
	}
	return bytes.HasPrefix(record, []byte(name+"/")) || bytes.Contains(record, []byte("\n"+name+"/")) ||
		bytes.HasPrefix(record, []byte(name+".py,")) || bytes.Contains(record, []byte("\n"+name+".py,"))
}

func readMetadata(path string, l *Licence) {
	text, err := regularfile.ReadFile(path)
	if err != nil {
		return
	}
	var classified []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() && lines.Text() != "" {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "Version":
			l.Version = value
		case "License-Expression":
			l.Terms = value
		case "License":
			l.Terms = cmp.Or(l.Terms, value)
		case "Classifier":
			if c, ok := strings.CutPrefix(value, "License :: "); ok {
				classified = append(classified, c)
			}
		}
	}
	l.Terms = cmp.Or(l.Terms, strings.Join(classified, "; "))
}

// LicencesOf finds the licences of files of code by their paths, as far as they
// are there: seen from the working folder, relative ones. Files of programs that
// were run elsewhere have none.
func LicencesOf(files map[string]bool) []Licence {
	folders := map[string]bool{}
	var all []Licence
	for file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			continue
		}
		root, name := packageOf(file)
		if folders[filepath.Join(root, name)] {
			continue
		}
		folders[filepath.Join(root, name)] = true
		all = append(all, licences(filepath.Join(root, name), []string{root}, []string{strings.TrimSuffix(name, ".py")})...)
	}
	return distinct(all)
}

// packageOf returns the folder from which a file is imported, and its top-level
// package or module there.
func packageOf(file string) (root, name string) {
	root, name = filepath.Dir(file), filepath.Base(file)
	for {
		if _, err := os.Stat(filepath.Join(root, "__init__.py")); err != nil {
			return root, name
		}
		root, name = filepath.Dir(root), filepath.Base(root)
	}
}

// distinct sorts licences by what they are of.
func distinct(all []Licence) []Licence {
	slices.SortStableFunc(all, func(a, b Licence) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Version, b.Version))
	})
	return slices.CompactFunc(all, func(a, b Licence) bool { return a.Of == b.Of && a.Version == b.Version })
}
