package record

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// While a trace is being written it is two files beside its later name; see
// TraceFile in tracefile.py, which also says how the tail looks.
const (
	partExtension = ".part"
	tailExtension = ".tail"
	tailHead      = 16
	tailFill      = 0xff
	tailSize      = tailHead + 1<<16
)

// clearTrace removes what an earlier run has left, so that a trace can be written.
// It tells of a place where none can be, before a program runs in vain.
func clearTrace(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil: // there is none yet, or the next steps say why
	case info.IsDir():
		return fmt.Errorf("the trace file %s is a folder; give the name of a file", path)
	case !info.Mode().IsRegular(): // such as /dev/null, which must stay what it is
		return fmt.Errorf("the trace file %s is no ordinary file, and a trace would take its place; give another name", path)
	case !replaceable(path): // such as the program that is to be recorded
		return fmt.Errorf("%s is there and is no trace; give another name for the trace file, or delete it", path)
	}
	for _, name := range []string{path, path + partExtension, path + tailExtension} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("making place for the trace file: %w", err)
		}
	}
	// What the process will make: a full disk shows here.
	part, tail := path+partExtension, path+tailExtension
	made := cmp.Or(os.WriteFile(part, nil, 0o666), os.WriteFile(tail, make([]byte, tailSize), 0o600))
	if err := cmp.Or(made, os.Remove(part), os.Remove(tail)); err != nil {
		return fmt.Errorf("making the trace file: %w", err)
	}
	return nil
}

// replaceable reports whether a file that is there may be a trace, or is empty.
func replaceable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true // making the trace says why
	}
	defer file.Close()
	magic := make([]byte, 2)
	n, err := io.ReadFull(file, magic)
	return n == 0 && errors.Is(err, io.EOF) || magic[0] == 0x1f && magic[1] == 0x8b
}

// finishTrace ends a trace whose process is gone or is left alone from here on. It
// reports whether there is a trace.
func finishTrace(path string) (bool, error) {
	tail, err := os.ReadFile(path + tailExtension)
	switch {
	case errors.Is(err, fs.ErrNotExist): // the process has done it
		_, err := os.Stat(path)
		return err == nil, nil
	case err != nil:
		return false, fmt.Errorf("finishing the trace: %w", err)
	}
	size, rest := readTail(tail)
	err = appendTail(path+partExtension, size, rest)
	if isFull(err) {
		// The tail, whose content is in memory, makes room for its short form. If
		// others take that room, the trace has what the part could take.
		if err = os.Remove(path + tailExtension); err == nil {
			err = appendTail(path+partExtension, size, rest)
		}
	}
	if err != nil && !isFull(err) {
		return false, fmt.Errorf("finishing the trace: %w", err)
	}
	if err := os.Rename(path+partExtension, path); err != nil {
		return false, fmt.Errorf("finishing the trace: %w", err)
	}
	if err := os.Remove(path + tailExtension); !errors.Is(err, fs.ErrNotExist) {
		return true, err
	}
	return true, nil
}

// isFull reports whether a file takes no more.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// readTail returns the size that the part has without a member that was being
// written, and the records that it lacks.
func readTail(tail []byte) (size int64, rest []byte) {
	if len(tail) < tailHead {
		return 0, nil
	}
	of := binary.LittleEndian.Uint64(tail)
	if of == binary.LittleEndian.Uint64(tail[8:]) {
		rest = tail[tailHead:]
		if end := bytes.IndexByte(rest, tailFill); end >= 0 {
			rest = rest[:end]
		}
		rest = rest[:bytes.LastIndexByte(rest, '\n')+1]
	}
	return int64(of), rest
}

// appendTail adds records as a last member behind what is whole in the part.
func appendTail(part string, size int64, rest []byte) error {
	file, err := os.OpenFile(part, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		return err
	}
	if _, err := file.Seek(size, 0); err != nil {
		return err
	}
	zipped := gzip.NewWriter(file)
	if _, err := zipped.Write(rest); err != nil {
		return err
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return file.Close()
}
