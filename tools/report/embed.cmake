# embed.cmake - writes files as C arrays, each with its SHA-256.
#   cmake -DOUT=page_files.c -DFILES=page.css,page.js -P embed.cmake
cmake_minimum_required(VERSION 3.22)
set(text "/* Made by embed.cmake. */\n#include \"tools/report/page_files.h\"\n")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
	get_filename_component(name ${file} NAME)
	string(MAKE_C_IDENTIFIER ${name} name)
	file(READ ${file} bytes HEX)
	file(SHA256 ${file} sum)
	string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
	string(APPEND text "const char ${name}[] = {${bytes}0};\nconst char ${name}_sha256[] = \"${sum}\";\n")
endforeach()
file(WRITE ${OUT} "${text}")
