package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/neuraldbg/neuraldbg/internal/folderlock"
	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

// The files of an evaluation's folder, beside those of its report.
const (
	settingsFile = "settings.json"
	answersFile  = "answers.jsonl"
)

// Log keeps the answers of an evaluation, in a folder or in memory. It may be
// used by several goroutines at once.
type Log struct {
	mu      sync.Mutex
	answers []Answer
	known   map[Key]bool
	file    *os.File         // nil in memory
	lock    *folderlock.Lock // on the file's folder
}

// NewLog returns a log that is kept in memory.
func NewLog() *Log { return &Log{known: map[Key]bool{}} }

// OpenLog opens or makes the log in a folder. Settings are all that decides what
// the answers are, as JSON can tell it: a log of others is refused, and so is a folder
// that another process has open.
func OpenLog(dir string, settings any) (*Log, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the evaluation's folder: %w", err)
	}
	lock, err := folderlock.Take(dir)
	if err != nil {
		return nil, fmt.Errorf("open the evaluation's folder: %w", err)
	}
	l, err := openLog(dir, settings)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	l.lock = lock
	return l, nil
}

// openLog is OpenLog for a folder that is there and held.
func openLog(dir string, settings any) (*Log, error) {
	if err := checkSettings(filepath.Join(dir, settingsFile), settings); err != nil {
		return nil, err
	}
	answers, whole, err := readAnswers(dir)
	if err != nil {
		return nil, err
	}
	l := NewLog()
	for _, a := range answers {
		l.keep(a)
	}
	if l.file, err = os.OpenFile(filepath.Join(dir, answersFile), os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, fmt.Errorf("open the evaluation's answers: %w", err)
	}
	// A run that was killed may have left half a line.
	if err := errors.Join(l.file.Truncate(whole), seekEnd(l.file)); err != nil {
		return nil, errors.Join(fmt.Errorf("open the evaluation's answers: %w", err), l.file.Close())
	}
	return l, nil
}

func seekEnd(f *os.File) error {
	_, err := f.Seek(0, io.SeekEnd)
	return err
}

// checkSettings compares settings with those of the folder, or writes them.
func checkSettings(path string, settings any) error {
	text, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return fmt.Errorf("write the evaluation's settings: %w", err)
	}
	text = append(text, '\n')
	old, err := regularfile.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := atomicfile.WriteFile(path, text); err != nil {
			return fmt.Errorf("write the evaluation's settings: %w", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("read the evaluation's settings: %w", err)
	case !bytes.Equal(old, text):
		return fmt.Errorf("%s holds an evaluation with other settings, or of another model; choose another folder or delete it", filepath.Dir(path))
	}
	return nil
}

// ReadAnswers reads the answers of the evaluation in a folder.
func ReadAnswers(dir string) ([]Answer, error) {
	answers, _, err := readAnswers(dir)
	if err == nil && len(answers) == 0 {
		err = fmt.Errorf("%s holds no evaluation: make one with neuraldbg eval --out", dir)
	}
	return answers, err
}

// readAnswers also returns the length of the whole lines.
func readAnswers(dir string) (answers []Answer, whole int64, err error) {
	path := filepath.Join(dir, answersFile)
	f, err := regularfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the evaluation's answers: %w", err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return answers, whole, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read the evaluation's answers: %w", err)
		}
		var a Answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, 0, fmt.Errorf("%s, line %d: %w", path, len(answers)+1, err)
		}
		answers = append(answers, a)
		whole += int64(len(line))
	}
}

func (l *Log) keep(a Answer) {
	l.answers = append(l.answers, a)
	l.known[a.Key] = true
}

// add keeps an answer.
func (l *Log) add(a Answer) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // people read the text of mistakes, which is full of <| and |>
	if err := encoder.Encode(a); err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		if _, err := l.file.Write(line.Bytes()); err != nil {
			return fmt.Errorf("keep an answer: %w", err)
		}
	}
	l.keep(a)
	return nil
}

// has reports whether a question was answered.
func (l *Log) has(k Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[k]
}

// Answers returns all answers, in no particular order.
func (l *Log) Answers() []Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Answer(nil), l.answers...)
}

// Len returns how many answers there are.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.answers)
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return errors.Join(l.file.Close(), l.lock.Release())
}
