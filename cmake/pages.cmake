# pages.cmake - man pages and completion, which the program makes from its tables of options.
#
# They lie in the build folder as they are installed: man finds them beside a bin/ that is in PATH, and
# so does bash-completion.

set(pages)
# paleo_page(out argument...) makes share/OUT of what `paleo help ARGUMENT...` prints.
function(paleo_page out)
	set(file ${CMAKE_BINARY_DIR}/share/${out})
	cmake_path(GET file PARENT_PATH folder)
	file(MAKE_DIRECTORY ${folder})
	add_custom_command(OUTPUT ${file} COMMAND paleo help ${ARGN} > ${file}
		DEPENDS paleo VERBATIM)
	set(pages ${pages} ${file} PARENT_SCOPE)
	cmake_path(GET out PARENT_PATH folder)
	install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
endfunction()

# paleo_page_link(folder name target) makes another name of a page.
function(paleo_page_link folder name target)
	file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/share/${folder}/${name} SYMBOLIC)
	install(FILES ${CMAKE_BINARY_DIR}/share/${folder}/${name}
		DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
endfunction()

paleo_page(man/man1/paleo.1 --man)
paleo_page(bash-completion/completions/paleo --completion bash)
paleo_page(zsh/site-functions/_paleo --completion zsh)
paleo_page(fish/vendor_completions.d/paleo.fish --completion fish)
foreach(command IN LISTS PALEO_COMMANDS)
	paleo_page(man/man1/paleo-${command}.1 --man ${command})
	# bash and fish look for a script of the command's own name
	paleo_page_link(bash-completion/completions paleo-${command} paleo)
	paleo_page_link(fish/vendor_completions.d paleo-${command}.fish paleo.fish)
endforeach()
add_custom_target(pages ALL DEPENDS ${pages})
