# embed.cmake - writes the text of files, one after the other, as an array in a C file.
# cmake -DFILES=a;b -DOUT=file.c -DNAME=symbol -DHEADER=declares_it.h -P embed.cmake
cmake_minimum_required(VERSION 3.22)
set(text)
foreach(file IN LISTS FILES)
	file(READ ${file} hex HEX)
	string(APPEND text ${hex})
endforeach()
string(REGEX REPLACE "(..)" "0x\\1," text ${text})
string(REGEX REPLACE "(0x0a,)" "\\1\n" text ${text}) # a line of the text, a line here
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n${text}0};\n")
